# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, Iterator, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ..calls import Namespace, Page
from ..transport import UNSET, Options

__all__ = ["Agents"]


class AgentModel(TypedDict):
    provider: str
    id: str


class AgentToolRequired(TypedDict):
    name: str


class AgentTool(AgentToolRequired, total=False):
    description: str
    input_schema: Dict[str, Any]


class RunStats(TypedDict):
    count: int
    success_rate: Optional[float]
    succeeded: int
    failed: int
    cancelled: int
    p50_duration_ms: Optional[float]
    p95_duration_ms: Optional[float]
    input_tokens: int
    output_tokens: int
    cost_usd: Optional[float]
    tool_calls: int
    tool_failures: int


class AgentListen(TypedDict, total=False):
    by: Literal["http", "socket"]
    port: int
    settings: Dict[str, Any]
    ready_seconds: int
    idle_seconds: int
    max_story_seconds: int


class AgentRunSpec(TypedDict, total=False):
    kind: Literal["command", "image", "http", "a2a", "acp", "chat"]
    command: Union[str, List[str]]
    image: str
    url: str
    bearer_secret: str
    max_turns: int
    timeout_seconds: int
    env: Dict[str, Any]
    secrets: Dict[str, Any]
    network: Literal["world", "none"]
    listen: AgentListen


class AgentVersionBundle(TypedDict):
    sha256: str
    size: Optional[int]


class AgentVersion(TypedDict):
    version: str
    status: Literal["current", "stable", "draft", "deprecated"]
    framework: Optional[str]
    model: Optional[AgentModel]
    tools: List[AgentTool]
    content_sha256: str
    created_at: str
    runs: RunStats
    name: str
    reference: str
    instructions: str
    run: Optional[AgentRunSpec]
    files: Dict[str, Any]
    bundle: Optional[AgentVersionBundle]


class AgentSummary(TypedDict):
    name: str
    description: str
    metadata: Dict[str, Any]
    current_version: Optional[str]
    version_count: int
    runs: RunStats
    created_at: str
    updated_at: str


class AgentVersionSummary(TypedDict):
    version: str
    status: Literal["current", "stable", "draft", "deprecated"]
    framework: Optional[str]
    model: Optional[AgentModel]
    tools: List[AgentTool]
    content_sha256: str
    created_at: str
    runs: RunStats


class Agent(TypedDict):
    name: str
    description: str
    metadata: Dict[str, Any]
    current_version: Optional[str]
    version_count: int
    runs: RunStats
    created_at: str
    updated_at: str
    versions: List[AgentVersionSummary]


class RecordAgentRunsReplyItemsItem(TypedDict):
    id: str


class RecordAgentRunsReply(TypedDict):
    items: List[RecordAgentRunsReplyItemsItem]


class AgentRunToolCallsItem(TypedDict):
    name: str
    status: Literal["running", "succeeded", "failed", "cancelled"]
    duration_ms: Optional[float]


class AgentRunUsage(TypedDict):
    input_tokens: int
    output_tokens: int


class AgentRun(TypedDict):
    run_id: str
    agent: str
    origin: Literal["recorded", "evaluation", "chat", "trace"]
    started_at: str
    finished_at: Optional[str]
    duration_ms: Optional[float]
    status: Literal["running", "succeeded", "failed", "cancelled"]
    tool_calls: List[AgentRunToolCallsItem]
    usage: Optional[AgentRunUsage]
    cost_usd: Optional[float]
    trace_id: Optional[str]
    error: Optional[str]
    metadata: Dict[str, Any]


class ChatSession(TypedDict):
    id: str
    agent: str
    world_id: Optional[str]
    created_at: str
    updated_at: str
    busy: bool
    message_count: int


class ChatMessage(TypedDict):
    role: Literal["user", "assistant"]
    text: str
    created_at: str


class AgentStep(TypedDict):
    kind: Literal["setup", "agent", "model", "tool_call"]
    name: str
    status: Literal["succeeded", "failed", "cancelled"]
    started_at: str
    duration_ms: float
    detail: Dict[str, Any]


class ChatTurnUsage(TypedDict):
    input_tokens: int
    output_tokens: int


class ChatTurn(TypedDict):
    id: str
    status: Literal["running", "succeeded", "failed", "cancelled"]
    messages: List[ChatMessage]
    steps: List[AgentStep]
    trace_id: str
    usage: ChatTurnUsage
    cost_usd: Optional[float]
    error: Optional[str]


class ChatHistory(TypedDict):
    id: str
    agent: str
    world_id: Optional[str]
    created_at: str
    updated_at: str
    busy: bool
    message_count: int
    messages: List[ChatMessage]
    turns: List[ChatTurn]


class Agents(Namespace):
    def register(
        self,
        *,
        name: str,
        version: str,
        framework: Optional[str] = UNSET,
        model: Optional[Mapping[str, Any]] = UNSET,
        instructions: str = UNSET,
        tools: Sequence[Mapping[str, Any]] = UNSET,
        status: Literal["current", "stable", "draft", "deprecated"] = UNSET,
        description: str = UNSET,
        metadata: Mapping[str, Any] = UNSET,
        run: Optional[Mapping[str, Any]] = UNSET,
        run_command: Union[str, Sequence[str]] = UNSET,
        files: Mapping[str, Any] = UNSET,
        bundle_sha256: Optional[str] = UNSET,
        options: Optional[Options] = None,
    ) -> AgentVersion:
        """Register a version: 201 when it is new, 200 when it was there with the same content.

        POST /v1/agents/register
        """
        return self._call("registerAgent", {}, {}, {"name": name, "version": version, "framework": framework, "model": model, "instructions": instructions, "tools": tools, "status": status, "description": description, "metadata": metadata, "run": run, "run_command": run_command, "files": files, "bundle_sha256": bundle_sha256}, options)

    def list(self, *, limit: int = UNSET, cursor: str = UNSET, options: Optional[Options] = None) -> Page[AgentSummary]:
        """List agents, newest first.

        GET /v1/agents
        """
        return self._call("listAgents", {}, {"limit": limit, "cursor": cursor}, None, options)

    def get(self, name: str, *, options: Optional[Options] = None) -> Agent:
        """Read an agent with its versions and the statistics of its runs.

        GET /v1/agents/{name}
        """
        return self._call("readAgent", {"name": name}, {}, None, options)

    def update(
        self,
        name: str,
        *,
        description: str = UNSET,
        owner: Optional[str] = UNSET,
        environment: Optional[str] = UNSET,
        purpose: Optional[str] = UNSET,
        metadata: Mapping[str, Any] = UNSET,
        options: Optional[Options] = None,
    ) -> Agent:
        """Change the description, the owner and other metadata; fields left out stay as they are.

        PATCH /v1/agents/{name}
        """
        return self._call("updateAgent", {"name": name}, {}, {"description": description, "owner": owner, "environment": environment, "purpose": purpose, "metadata": metadata}, options)

    def list_versions(
        self,
        name: str,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        options: Optional[Options] = None,
    ) -> Page[AgentVersionSummary]:
        """List the versions of an agent, newest first.

        GET /v1/agents/{name}/versions
        """
        return self._call("listAgentVersions", {"name": name}, {"limit": limit, "cursor": cursor}, None, options)

    def get_version(self, name: str, version: str, *, options: Optional[Options] = None) -> AgentVersion:
        """Read one version, whole; the version can be `current`.

        GET /v1/agents/{name}/versions/{version}
        """
        return self._call("readAgentVersion", {"name": name, "version": version}, {}, None, options)

    def update_version(
        self,
        name: str,
        version: str,
        *,
        status: Literal["current", "stable", "draft", "deprecated"],
        options: Optional[Options] = None,
    ) -> AgentVersion:
        """Change the status of a version. Its content never changes; a former current becomes stable.

        PATCH /v1/agents/{name}/versions/{version}
        """
        return self._call("updateAgentVersion", {"name": name, "version": version}, {}, {"status": status}, options)

    def upload_bundle(self, name: str, version: str, data: bytes, *, options: Optional[Options] = None) -> AgentVersion:
        """The agent's files as a .tar.gz, once: 201 when it is stored, 200 when the same was there.

        PUT /v1/agents/{name}/versions/{version}/bundle
        """
        return self._call("uploadAgentBundle", {"name": name, "version": version}, {}, data, options)

    def get_bundle(self, name: str, version: str, *, options: Optional[Options] = None) -> bytes:
        """The bundle as it was uploaded.

        GET /v1/agents/{name}/versions/{version}/bundle
        """
        return self._call("readAgentBundle", {"name": name, "version": version}, {}, None, options)

    def record_runs(
        self,
        items: Sequence[Mapping[str, Any]],
        *,
        options: Optional[Options] = None,
    ) -> RecordAgentRunsReply:
        """Record up to 100 observed runs: a bare array, or the same under `runs`. All or nothing.

        POST /v1/agents/runs/batch
        """
        return self._call("recordAgentRuns", {}, {}, list(items), options)

    def list_runs(
        self,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        agent: str = UNSET,
        status: Literal["running", "succeeded", "failed", "cancelled"] = UNSET,
        origin: Literal["recorded", "evaluation", "chat", "trace"] = UNSET,
        options: Optional[Options] = None,
    ) -> Page[AgentRun]:
        """List runs, the latest start first.

        GET /v1/agents/runs
        """
        return self._call("listAgentRuns", {}, {"limit": limit, "cursor": cursor, "agent": agent, "status": status, "origin": origin}, None, options)

    def get_run(self, run_id: str, *, options: Optional[Options] = None) -> AgentRun:
        """Read one run.

        GET /v1/agents/runs/{runId}
        """
        return self._call("readAgentRun", {"runId": run_id}, {}, None, options)

    def start_chat(
        self,
        name: str,
        *,
        version: Union[Literal["current"], str] = UNSET,
        world_id: Optional[str] = UNSET,
        options: Optional[Options] = None,
    ) -> ChatSession:
        """Start a chat session with the current version or a named one, in a world or without.

        POST /v1/agents/{name}/chat/sessions
        """
        return self._call("startChat", {"name": name}, {}, {"version": version, "world_id": world_id}, options)

    def list_chats(
        self,
        name: str,
        *,
        limit: int = UNSET,
        cursor: str = UNSET,
        options: Optional[Options] = None,
    ) -> Page[ChatSession]:
        """List the chat sessions with an agent, newest first.

        GET /v1/agents/{name}/chat/sessions
        """
        return self._call("listChats", {"name": name}, {"limit": limit, "cursor": cursor}, None, options)

    def get_chat(self, name: str, session_id: str, *, options: Optional[Options] = None) -> ChatHistory:
        """Read a session with its whole conversation.

        GET /v1/agents/{name}/chat/sessions/{sessionId}
        """
        return self._call("readChat", {"name": name, "sessionId": session_id}, {}, None, options)

    def send_message(self, name: str, session_id: str, *, text: str, options: Optional[Options] = None) -> ChatTurn:
        """Send a message and get the reply. It is cancelled when the caller goes away.

        POST /v1/agents/{name}/chat/sessions/{sessionId}/messages
        """
        return self._call("sendChatMessage", {"name": name, "sessionId": session_id}, {}, {"text": text}, options)

    def cancel_chat(self, name: str, session_id: str, *, options: Optional[Options] = None) -> ChatSession:
        """Cancel the reply that is being made, wherever it runs.

        POST /v1/agents/{name}/chat/sessions/{sessionId}/cancel
        """
        return self._call("cancelChat", {"name": name, "sessionId": session_id}, {}, None, options)
