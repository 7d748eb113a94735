"""Fixtures for pytest: a fresh world for each test.

    pytest_plugins = ["diorama.pytest_plugin"]      # not needed where the package is installed

    @pytest.fixture
    def diorama_blueprint():
        return json.loads(Path("company.json").read_text())

    def test_agent_escalates(diorama_world, diorama_client):
        run_my_agent(diorama_world)
        assert diorama_client.worlds.diff(diorama_world["world"]["id"])["summary"]["updated"] == 1

Without your own ``diorama_blueprint`` the service's sample company is launched.
"""

from __future__ import annotations

from typing import Any, Iterator

import pytest

from .client import Diorama


@pytest.fixture(scope="session")
def diorama_client() -> Diorama:
    """The client, from DIORAMA_BASE_URL and DIORAMA_API_KEY."""
    return Diorama()


@pytest.fixture
def diorama_blueprint(diorama_client: Diorama) -> Any:
    return diorama_client.worlds.sample_blueprint()


@pytest.fixture
def diorama_world(diorama_client: Diorama, diorama_blueprint: Any) -> Iterator[Any]:
    """A world that this test alone has; its twins are stopped afterwards."""
    world: Any = diorama_client.worlds.launch_and_wait(blueprint=diorama_blueprint, ttl_hours=1)
    try:
        yield world
    finally:
        diorama_client.worlds.stop(world["world"]["id"])
