"""What a template may say: texts, values, conditions, loops and other templates; nothing that could run away.

A template of a user's own runs inside the engine. Nothing in this language makes a value longer than it was, so that
only loops and includes can take time or room: loops are counted, and whoever renders counts what comes out.
"""

from collections.abc import Iterable, Iterator

from jinja2 import TemplateAssertionError, TemplateRuntimeError, nodes, pass_context
from jinja2.runtime import Context

_FILTERS = """
capitalize count d default e escape first float int join last length list lower reverse round sort string title tojson
trim truncate unique upper wordcount
"""
#: Filters beside our own that make nothing longer.
FILTERS = frozenset(_FILTERS.split())
#: The name under which a rendering carries its counter; no template can write it.
STEPS = "steps left"
#: The filters around what a loop goes through, and at the head of each template.
COUNTED, CHARGED = "counted", "charged"

#: So many parts of loops are gone through for one text: some seconds; the largest plan needs a thousandth of it.
_MOST_STEPS = 20_000_000
_ALLOWED = (
    nodes.Template,
    nodes.TemplateData,
    nodes.Output,
    nodes.Name,
    nodes.Const,
    nodes.List,
    nodes.Tuple,
    nodes.Getattr,
    nodes.Getitem,
    nodes.If,
    nodes.CondExpr,
    nodes.For,
    nodes.Include,
    nodes.Assign,
    nodes.Filter,
    nodes.Test,
    nodes.Compare,
    nodes.Operand,
    nodes.And,
    nodes.Or,
    nodes.Not,
    nodes.Sub,
    nodes.Div,
    nodes.FloorDiv,
    nodes.Neg,
    nodes.Keyword,
)


class Steps:
    """How many steps a rendering has left."""

    def __init__(self, left: int = _MOST_STEPS) -> None:
        self._left = left

    def take(self, count: int) -> None:
        """Go so many steps, or refuse."""
        self._left -= count
        if self._left < 0:
            raise TemplateRuntimeError("its loops take too long; loop over less, or not inside of each other")


@pass_context
def counted(context: Context, items: Iterable[object], cost: int) -> Iterator[object]:
    """The items of a loop, each at what its body costs."""
    steps: Steps = context[STEPS]
    for item in items:
        steps.take(cost)
        yield item


@pass_context
def charged(context: Context, nothing: str, cost: int) -> str:
    """Nothing, at what a whole template costs."""
    steps: Steps = context[STEPS]
    steps.take(cost)
    return nothing


def bounded(tree: nodes.Template, *, name: str | None, own_filters: Iterable[str]) -> nodes.Template:
    """The same template with its loops counted; TemplateAssertionError with the line of what is not of the language."""
    filters = FILTERS | frozenset(own_filters)
    for node in tree.find_all(nodes.Node):
        fault = _fault(node, filters)
        if fault is not None:
            raise TemplateAssertionError(f"{fault} in a template", node.lineno, name)
    size = _size(tree)
    for loop in list(tree.find_all(nodes.For)):
        loop.iter = nodes.Filter(loop.iter, COUNTED, [_size(loop)], [], None, None, lineno=loop.lineno)
    charge = nodes.Filter(nodes.Const(""), CHARGED, [size], [], None, None)
    tree.body.insert(0, nodes.Output([charge]).set_lineno(1))
    return tree


def _is_written_out(node: nodes.Filter) -> bool:
    given = [*node.args, *(each.value for each in node.kwargs), node.dyn_args, node.dyn_kwargs]
    return all(each is None or isinstance(each, nodes.Const) for each in given)


def _size(node: nodes.Node) -> nodes.Const:
    return nodes.Const(1 + sum(1 for _ in node.find_all(nodes.Node)), lineno=node.lineno)


def _fault(node: nodes.Node, filters: frozenset[str]) -> str | None:
    match node:
        case nodes.For(recursive=True):
            return "loops cannot be recursive"
        case nodes.Include(template=name) if not isinstance(name, nodes.Const):
            return "the name of an included template must be written out"
        case nodes.Include(with_context=False):
            return "an included template needs its context"
        case nodes.Filter(name=name) if name not in filters:
            return f"the filter {name!r} cannot be used"
        case nodes.Filter(name="join") if not _is_written_out(node):
            return "what join puts between must be written out"
        case nodes.Call():
            return "nothing can be called"
        case _ if not isinstance(node, _ALLOWED):
            return f"{type(node).__name__} cannot be used"
    return None
