"""What commands print in the world, and what their tasks have claimed: made so that the outcome is known beforehand."""

from random import Random

from orchestrate.engine.measuring import judged
from orchestrate.model.handoff import MeasurementClaim
from orchestrate.model.names import Timestamp
from orchestrate.model.plan import Measurement
from orchestrate.model.rows import Measured
from orchestrate.model.vocabulary import MeasurementOutcome
from orchestrate.ports import Ran

_BOUNDS = ("<=", "<", ">", ">=")


class SimulatedBench:
    """Prints and claims what the drawn outcome is the truth of; the first draw for a commit stands."""

    def __init__(self, seed: int) -> None:
        self._random = Random(f"measured {seed}")
        #: By commit and name.
        self.truths: dict[tuple[str, str], MeasurementOutcome] = {}

    def measured(self, spec: Measurement, *, sha: str, drawn: MeasurementOutcome, at: Timestamp) -> Measured:
        """What the engine makes of it."""
        truth = self.truths.setdefault((sha, spec.name), drawn)
        ran, claims = self._scene(spec, truth)
        value, comparison = judged(spec, ran, claims)
        return Measured(spec.name, comparison.outcome, at, comparison.detail, sha, value, comparison.drift)

    def _scene(self, spec: Measurement, truth: MeasurementOutcome) -> tuple[Ran, list[MeasurementClaim]]:
        count = self._random.randint(10, 60)
        ran, op, claimed = Ran(stdout="a line\n" * count), self._random.choice(("→", "==", *_BOUNDS)), str(count)
        match truth:
            case MeasurementOutcome.MATCH:
                claimed = str(count + {"<": 9, "<=": 9, ">": -9, ">=": -9}.get(op, 0))
            case MeasurementOutcome.VALUE_MISMATCH:
                claimed = str(count + {"<": -9, "<=": -9}.get(op, 9))
            case MeasurementOutcome.CLAIM_MISSING:
                return ran, [MeasurementClaim(f"not {spec.name}", "1", op, claimed)]
            case MeasurementOutcome.COMMAND_FAILED:
                ran = Ran(stdout=ran.stdout, failure="exit status 1")
            case MeasurementOutcome.PARSE_FAILED:
                claimed = "fewer"
            case MeasurementOutcome.NOT_RUN:
                ran = Ran(not_run="there is no bwrap")
        return ran, [MeasurementClaim(spec.name, "1", op, claimed)]
