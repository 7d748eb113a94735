# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union


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
    dependencies: List[Literal["npm", "pip"]]
    install_scripts: bool
    listen: AgentListen


class AgentVersionBundle(TypedDict):
    sha256: str
    size: Optional[int]


class InstalledDependencies(TypedDict):
    status: Literal["queued", "installing", "ready", "failed"]
    error: Optional[str]
    log: str
    lock_sha256: str
    platform: Optional[str]
    size: Optional[int]
    updated_at: str


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
    dependencies: Optional[InstalledDependencies]


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

