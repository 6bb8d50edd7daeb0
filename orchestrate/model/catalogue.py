"""The models that an account has, by the names that a plan may use for them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from orchestrate.model.wire import Model

#: What our own server lists while it has no catalogue: then it takes any name and hands it to the agent program.
ONLY_MODEL = "default"


@dataclass(frozen=True)
class Catalogue:
    """The service's answer; without a model in it nothing is known, and any name goes."""

    models: tuple[Model, ...] = ()

    @property
    def is_open(self) -> bool:
        """True where any name goes."""
        return not self.models

    @property
    def ids(self) -> tuple[str, ...]:
        """The id of each model, in the service's order."""
        return tuple(model.id for model in self.models)

    @property
    def names(self) -> tuple[str, ...]:
        """Every id, then every alias."""
        return tuple(self._by_name)

    def find(self, name: str) -> Model | None:
        """The model of this id or alias."""
        return self._by_name.get(name)

    @cached_property
    def _by_name(self) -> Mapping[str, Model]:
        found = {model.id: model for model in self.models}
        for model in self.models:
            for alias in model.aliases:
                found.setdefault(alias, model)
        return found


#: What is known of a service that was not asked, or takes any name.
ANY_MODEL = Catalogue()


def catalogue_of(models: tuple[Model, ...]) -> Catalogue:
    """The catalogue in this answer."""
    return ANY_MODEL if all(model.id == ONLY_MODEL for model in models) else Catalogue(models)
