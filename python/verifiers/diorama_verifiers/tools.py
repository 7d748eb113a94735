"""The tools of an episode as a server of the Model Context Protocol, in a process beside the agent."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import verifiers.v1 as vf
from diorama import Environment, Tool
from diorama.transport import Connection
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool as ServedTool

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

#: An agent is done when it replies; grading is not its to ask for.
HIDDEN = {"done"}
TIMEOUT_SECONDS = 300.0


class DioramaState(vf.State):
    """How the server of the tools finds its episode, and what the rollout found at its end. Not part of a trace."""

    base_url: str = ""
    suite_id: str = ""
    session_id: str = ""
    reward: float | None = None
    passed: bool | None = None
    error: str | None = None


class RemoteTool(ServedTool):
    """A tool with the schema that its service gives it."""

    async def run(self, arguments: dict[str, Any], context: Any, convert_result: bool = False) -> Any:
        result = await self.fn(arguments)
        return self.fn_metadata.convert_result(result) if convert_result else result


class DioramaTools(vf.Toolset[vf.ToolsetConfig, DioramaState]):
    TOOL_PREFIX = None

    _environment: Environment
    _tools: list[Tool]

    async def setup_task(self, task: vf.TaskData) -> None:
        state = await self._pull_state()
        connection = Connection(base_url=state.base_url, api_key=None, timeout=TIMEOUT_SECONDS, retries=0)
        self._environment = await asyncio.to_thread(
            Environment, connection, state.suite_id, session_id=state.session_id
        )
        self._exit_stack.callback(self._environment.close)
        self._one_at_a_time = asyncio.Lock()
        self._tools = await asyncio.to_thread(self._environment.tools)

    def register(self, mcp: MCPServer) -> None:
        for tool in self._tools:
            if tool.name not in HIDDEN:
                mcp._tool_manager._tools[tool.name] = self._served(tool)

    def _served(self, tool: Tool) -> RemoteTool:
        async def call(arguments: dict[str, Any]) -> str:
            async with self._one_at_a_time:
                step = await asyncio.to_thread(self._environment.step, tool.name, arguments)
            text = step.result if isinstance(step.result, str) else json.dumps(step.result, ensure_ascii=False)
            if step.is_error:
                raise ToolError(text)
            return text

        plain = ServedTool.from_function(call, name=tool.name, description=tool.description, structured_output=False)
        fields = {name: getattr(plain, name) for name in ServedTool.model_fields}
        return RemoteTool(**{**fields, "parameters": dict(tool.input_schema)})


if __name__ == "__main__":
    DioramaTools.run()
