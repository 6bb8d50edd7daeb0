"""Words in and words out, as pure functions of text.

Out: ``templates`` render ``prompts`` and ``postmortems``; ``fencing`` and ``shortening`` keep what others wrote inside
its block and its share. In: ``handoffs`` reads an agent's last message, in this order::

    cleaning, headers, thinning      the message without what is invisible, ours, or sure to mean nothing
    markdown, inline                 its lines, and the inside of one line
    unwrapping, sections, titles     which lines stand under which title, also inside a fence around the whole
    outcomes, branches, claims, pull_requests      the value of each section, or a note why there is none

Measurements: ``measurements`` takes the value out of what a command printed, ``comparing`` puts it beside the claim as
``quantities`` read both. ``failures`` says why a run went wrong. ``redaction`` and ``terminal`` make text safe to keep and to print.
"""
