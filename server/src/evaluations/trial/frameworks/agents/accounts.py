"""One small agent in five Python clients and frameworks; the first argument says which."""

import json
import os
import pathlib
import sys
import time
import urllib.request
import uuid
from datetime import datetime, timezone

sys.path.insert(0, str(pathlib.Path(__file__).parent / "lib"))

system = (
    f"You keep the accounts. It is {datetime.now(timezone.utc).isoformat()}, "
    f"and this is {os.environ['SVC_TRIAL_ID']}."
)
instruction = pathlib.Path(os.environ["INSTRUCTION_PATH"]).read_text()
parameters = {
    "type": "object",
    "properties": {"name": {"type": "string"}},
    "required": ["name"],
    "additionalProperties": False,
}


def create_account(name: str) -> str:
    """Creates an account."""
    request = urllib.request.Request(
        os.environ["SVC_CRM_BASE_URL"] + "/services/data/v62.0/sobjects/Account",
        data=json.dumps({"Name": name}).encode(),
        headers={
            "authorization": "Bearer " + os.environ["SVC_CRM_TOKEN"],
            "content-type": "application/json",
        },
    )
    with urllib.request.urlopen(request) as reply:
        return f"{reply.status} at {int(time.time())}"


def with_openai() -> str:
    from openai import OpenAI

    client = OpenAI()
    tool = {
        "type": "function",
        "name": "create_account",
        "description": create_account.__doc__,
        "parameters": parameters,
        "strict": True,
    }
    items: list = [{"role": "user", "content": instruction}]
    for _ in range(5):
        reply = client.responses.create(
            model="small",
            instructions=system,
            input=items,
            tools=[tool],
            metadata={"request": str(uuid.uuid4())},
        )
        calls = [item for item in reply.output if item.type == "function_call"]
        if not calls:
            return reply.output_text
        items += [item.model_dump(exclude_none=True) for item in reply.output]
        for call in calls:
            made = create_account(**json.loads(call.arguments))
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": made})
    return ""


def with_anthropic() -> str:
    from anthropic import Anthropic

    client = Anthropic()
    tool = {
        "name": "create_account",
        "description": create_account.__doc__,
        "input_schema": parameters,
    }
    messages: list = [{"role": "user", "content": instruction}]
    for _ in range(5):
        with client.messages.stream(
            model="small", max_tokens=500, system=system, messages=messages, tools=[tool]
        ) as stream:
            reply = stream.get_final_message()
        calls = [block for block in reply.content if block.type == "tool_use"]
        if not calls:
            return "".join(block.text for block in reply.content if block.type == "text")
        messages.append({"role": "assistant", "content": reply.content})
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": create_account(**call.input)}
            for call in calls
        ]
        messages.append({"role": "user", "content": results})
    return ""


def with_gemini() -> str:
    from google import genai

    # The client calls the function itself and asks again with what it returned.
    client = genai.Client(api_key=os.environ["GEMINI_API_KEY"])
    config = genai.types.GenerateContentConfig(system_instruction=system, tools=[create_account])
    reply = client.models.generate_content(model="small", contents=instruction, config=config)
    return reply.text or ""


def with_langgraph() -> str:
    from langchain_openai import ChatOpenAI
    from langgraph.prebuilt import create_react_agent

    graph = create_react_agent(ChatOpenAI(model="small"), [create_account], prompt=system)
    return graph.invoke({"messages": [("user", instruction)]})["messages"][-1].content


def with_agents() -> str:
    from agents import Agent, Runner, function_tool

    agent = Agent(
        name="Accounts", instructions=system, model="small", tools=[function_tool(create_account)]
    )
    return Runner.run_sync(agent, instruction).final_output


ways = {
    "openai": with_openai,
    "anthropic": with_anthropic,
    "gemini": with_gemini,
    "langgraph": with_langgraph,
    "agents": with_agents,
}
(pathlib.Path(os.environ["WORK_DIR"]) / "output.txt").write_text(ways[sys.argv[1]]())
