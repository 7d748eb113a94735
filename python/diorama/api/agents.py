# Made from the contract by `node python/generate.ts`; change it there.
from __future__ import annotations

from typing import IO, Any, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

from ..calls import Namespace, Page
from ..streams import Stream
from ..transport import UNSET, Options
from .agents_types import (
    AgentModel,
    AgentToolRequired,
    AgentTool,
    RunStats,
    AgentListen,
    AgentRunSpec,
    AgentVersionBundle,
    InstalledDependencies,
    AgentVersion,
    AgentSummary,
    AgentVersionSummary,
    Agent,
    RecordAgentRunsReplyItemsItem,
    RecordAgentRunsReply,
    AgentRunToolCallsItem,
    AgentRunUsage,
    AgentRun,
    ChatSession,
    ChatMessage,
    AgentStep,
    ChatTurnUsage,
    ChatTurn,
    ChatHistory,
)

__all__ = [
    "Agents",
    "AgentModel",
    "AgentToolRequired",
    "AgentTool",
    "RunStats",
    "AgentListen",
    "AgentRunSpec",
    "AgentVersionBundle",
    "InstalledDependencies",
    "AgentVersion",
    "AgentSummary",
    "AgentVersionSummary",
    "Agent",
    "RecordAgentRunsReplyItemsItem",
    "RecordAgentRunsReply",
    "AgentRunToolCallsItem",
    "AgentRunUsage",
    "AgentRun",
    "ChatSession",
    "ChatMessage",
    "AgentStep",
    "ChatTurnUsage",
    "ChatTurn",
    "ChatHistory",
]


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
        answer: AgentVersion = self._call("registerAgent", {}, {}, {"name": name, "version": version, "framework": framework, "model": model, "instructions": instructions, "tools": tools, "status": status, "description": description, "metadata": metadata, "run": run, "run_command": run_command, "files": files, "bundle_sha256": bundle_sha256}, options)
        return answer

    def list(self, *, limit: int = UNSET, cursor: str = UNSET, options: Optional[Options] = None) -> Page[AgentSummary]:
        """List agents, newest first.

        GET /v1/agents
        """
        answer: Page[AgentSummary] = self._call("listAgents", {}, {"limit": limit, "cursor": cursor}, None, options)
        return answer

    def get(self, name: str, *, options: Optional[Options] = None) -> Agent:
        """Read an agent with its versions and the statistics of its runs.

        GET /v1/agents/{name}
        """
        answer: Agent = self._call("readAgent", {"name": name}, {}, None, options)
        return answer

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
        answer: Agent = self._call("updateAgent", {"name": name}, {}, {"description": description, "owner": owner, "environment": environment, "purpose": purpose, "metadata": metadata}, options)
        return answer

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
        answer: Page[AgentVersionSummary] = self._call("listAgentVersions", {"name": name}, {"limit": limit, "cursor": cursor}, None, options)
        return answer

    def get_version(self, name: str, version: str, *, options: Optional[Options] = None) -> AgentVersion:
        """Read one version, whole; the version can be `current`.

        GET /v1/agents/{name}/versions/{version}
        """
        answer: AgentVersion = self._call("readAgentVersion", {"name": name, "version": version}, {}, None, options)
        return answer

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
        answer: AgentVersion = self._call("updateAgentVersion", {"name": name, "version": version}, {}, {"status": status}, options)
        return answer

    def upload_bundle(self, name: str, version: str, data: bytes, *, options: Optional[Options] = None) -> AgentVersion:
        """The agent's files as a .tar.gz, once: 201 when it is stored, 200 when the same was there.

        PUT /v1/agents/{name}/versions/{version}/bundle
        """
        answer: AgentVersion = self._call("uploadAgentBundle", {"name": name, "version": version}, {}, data, options)
        return answer

    def get_bundle(self, name: str, version: str, *, options: Optional[Options] = None) -> bytes:
        """The bundle as it was uploaded.

        GET /v1/agents/{name}/versions/{version}/bundle
        """
        answer: bytes = self._call("readAgentBundle", {"name": name, "version": version}, {}, None, options)
        return answer

    def record_runs(
        self,
        items: Sequence[Mapping[str, Any]],
        *,
        options: Optional[Options] = None,
    ) -> RecordAgentRunsReply:
        """Record up to 100 observed runs: a bare array, or the same under `runs`. All or nothing.

        POST /v1/agents/runs/batch
        """
        answer: RecordAgentRunsReply = self._call("recordAgentRuns", {}, {}, list(items), options)
        return answer

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
        answer: Page[AgentRun] = self._call("listAgentRuns", {}, {"limit": limit, "cursor": cursor, "agent": agent, "status": status, "origin": origin}, None, options)
        return answer

    def get_run(self, run_id: str, *, options: Optional[Options] = None) -> AgentRun:
        """Read one run.

        GET /v1/agents/runs/{runId}
        """
        answer: AgentRun = self._call("readAgentRun", {"runId": run_id}, {}, None, options)
        return answer

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
        answer: ChatSession = self._call("startChat", {"name": name}, {}, {"version": version, "world_id": world_id}, options)
        return answer

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
        answer: Page[ChatSession] = self._call("listChats", {"name": name}, {"limit": limit, "cursor": cursor}, None, options)
        return answer

    def get_chat(self, name: str, session_id: str, *, options: Optional[Options] = None) -> ChatHistory:
        """Read a session with its whole conversation.

        GET /v1/agents/{name}/chat/sessions/{sessionId}
        """
        answer: ChatHistory = self._call("readChat", {"name": name, "sessionId": session_id}, {}, None, options)
        return answer

    def send_message(self, name: str, session_id: str, *, text: str, options: Optional[Options] = None) -> ChatTurn:
        """Send a message and get the reply. It is cancelled when the caller goes away.

        POST /v1/agents/{name}/chat/sessions/{sessionId}/messages
        """
        answer: ChatTurn = self._call("sendChatMessage", {"name": name, "sessionId": session_id}, {}, {"text": text}, options)
        return answer

    def cancel_chat(self, name: str, session_id: str, *, options: Optional[Options] = None) -> ChatSession:
        """Cancel the reply that is being made, wherever it runs.

        POST /v1/agents/{name}/chat/sessions/{sessionId}/cancel
        """
        answer: ChatSession = self._call("cancelChat", {"name": name, "sessionId": session_id}, {}, None, options)
        return answer
