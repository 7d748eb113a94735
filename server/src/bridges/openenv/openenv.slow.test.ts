import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { launchSample } from '../../evaluations/testing-runs.ts'
import { type TestService, testService } from '../../testing.ts'

const run = promisify(execFile)
const release = 'openenv==0.10.0'

/** Solves a task by its tools, with the package's own clients. */
const script = `
import asyncio, json, re, sys
from openenv.core.generic_client import GenericEnvClient
from openenv.core.mcp_client import MCPToolClient

base_url = sys.argv[1]

async def solve(env):
    await env.reset(task="escalate-calder")
    tools = [tool.name for tool in await env.list_tools()]
    found = await env.call_tool(
        "soqlQuery",
        query="SELECT Id, CaseNumber FROM Case WHERE Subject LIKE '%turbidity%' AND IsClosed = false",
    )
    text = json.dumps(found)
    case, number = re.search(r"500\\w{12,15}", text)[0], re.search(r"0000\\d{4}", text)[0]
    await env.call_tool("updateSobjectRecord", **{"sobject-name": "Case", "id": case, "body": {"Status": "Escalated"}})
    channels = json.dumps(await env.call_tool("slack_search_channels", query="support-escalations"))
    channel = re.search(r"\\bC[A-Z0-9]{8,}", channels)[0]
    await env.call_tool("slack_send_message", channel_id=channel, message=f"Case {number} is escalated.")
    graded = await env.call_tool("done", answer="Done.")
    state = await env.state()
    return {"tools": tools, "reward": graded["reward"], "episode": bool(state.episode_id), "steps": state.step_count}

async def main():
    async with MCPToolClient(base_url=base_url) as env:
        solved = await solve(env)
    async with GenericEnvClient(base_url=base_url) as env:
        first = await env.reset(task="escalate-calder")
        last = await env.step({"type": "call_tool", "tool_name": "done", "arguments": {}})
        try:
            await env.reset(task="absent")
        except RuntimeError as error:
            refused = str(error)
    try:
        async with GenericEnvClient(base_url=re.sub("//.*@", "//", base_url)):
            closed_to = ""
    except ConnectionError as error:
        closed_to = str(error)
    print(json.dumps({
        **solved,
        "instruction": first.observation["instruction"][:5],
        "last": [last.done, last.reward],
        "refused": refused,
        "closed_to": closed_to,
    }))

asyncio.run(main())
`

describe("OpenEnv's own package", () => {
  let service: TestService
  let folder: string
  let python: string
  let unavailable: string | undefined
  before(async () => {
    service = await testService()
    folder = mkdtempSync(join(tmpdir(), 'diorama-openenv-'))
    python = join(folder, 'bin', 'python')
    try {
      await run('python3', ['-m', 'venv', folder])
      await run(python, ['-m', 'pip', '-q', 'install', release], { timeout: 900_000 })
    } catch (error) {
      unavailable = `${release} could not be installed: ${String(error).slice(0, 200)}`
    }
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  it('resets, lists and calls tools, and gets the reward of the scorers', async (context) => {
    if (unavailable !== undefined) return context.skip(unavailable)
    const { suiteId } = await launchSample(service)
    const address = `${service.baseUrl.replace('http://', `http://key:${service.key}@`)}/openenv/${suiteId}`
    const { stdout } = await run(python, ['-c', script, address], { timeout: 120_000 })
    const seen = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
    assert.ok(seen.tools.includes('soqlQuery') && seen.tools.includes('done'), seen.tools)
    assert.deepEqual([seen.reward, seen.episode, seen.steps], [1, true, 5])
    assert.equal(seen.instruction, 'Nadia')
    assert.equal(seen.last[0], true)
    assert.ok(seen.last[1] < 1, 'doing nothing is rewarded')
    assert.match(seen.refused, /VALIDATION_ERROR/)
    assert.match(seen.closed_to, /401/)
  })
})
