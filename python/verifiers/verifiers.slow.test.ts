import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { launchSample } from '../../server/src/evaluations/testing-runs.ts'
import { type TestService, testService } from '../../server/src/testing.ts'

const run = promisify(execFile)
const here = fileURLToPath(new URL('.', import.meta.url))

/** A harness without a model: it solves the task by its tools, or does nothing. */
const harness = `
import json, re
import verifiers.v1 as vf
from mcp import Client

class SolverConfig(vf.HarnessConfig):
    solves: bool = True

class Solver(vf.Harness[SolverConfig]):
    SUPPORTS_MCP = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def setup(self, runtime):
        pass

    async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data, tool_interception_url=None):
        (url,) = mcp_urls.values()
        async with Client(url) as client:
            tools = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
            async def call(name, **arguments):
                result = await client.call_tool(name, arguments)
                return result.is_error, "".join(part.text for part in result.content)
            trace.info["seen"] = {
                "done": "done" in tools,
                "schema": list(tools["soqlQuery"]["properties"]),
                "refused": (await call("soqlQuery", query=7))[0],
            }
            if self.config.solves:
                query = "SELECT Id, CaseNumber FROM Case WHERE Subject LIKE '%turbidity%' AND IsClosed = false"
                _, text = await call("soqlQuery", query=query)
                case, number = re.search(r"500\\w{12,15}", text)[0], re.search(r"0000\\d{4}", text)[0]
                await call("updateSobjectRecord", **{"sobject-name": "Case", "id": case, "body": {"Status": "Escalated"}})
                _, text = await call("slack_search_channels", query="support-escalations")
                channel = re.search(r"\\bC[A-Z0-9]{8,}", text)[0]
                await call("slack_send_message", channel_id=channel, message=f"Case {number} is escalated.")
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")

__all__ = ["Solver"]
`
const script = `
import asyncio, json, sys
import verifiers.v1 as vf
from diorama_verifiers import DioramaTaskset

async def main():
    config = vf.taskset_config_type("diorama_verifiers")(id="diorama_verifiers", suite_id=sys.argv[1], tasks=["escalate-calder"])
    taskset = vf.load_taskset(config)
    assert isinstance(taskset, DioramaTaskset)
    (task,) = taskset
    seen = {"prompt": task.data.prompt[:5], "key": task.key == f"{sys.argv[1]}/{task.data.id}", "runs": []}
    for solves in (True, False):
        harness = vf.harness_config_type("solver_harness")(id="solver_harness", solves=solves)
        async with vf.Agent(vf.AgentConfig(model="none", harness=harness, runtime=vf.SubprocessConfig())) as agent:
            trace = await agent.run(task)
        record = trace.model_dump_json()
        seen["runs"].append({
            "errors": [f"{error.type}: {error.message}" for error in trace.errors],
            "rewards": {name: reward and reward.value for name, reward in trace.rewards.items()},
            "metrics": trace.metrics,
            "seen": trace.info.get("seen"),
            "leaks": "ses_" in record or "dk_" in record,
        })
    print(json.dumps(seen))

asyncio.run(main())
`

describe("verifiers' own package", () => {
  let service: TestService
  let folder: string
  let python: string
  let unavailable: string | undefined
  before(async () => {
    service = await testService()
    folder = mkdtempSync(join(tmpdir(), 'diorama-verifiers-'))
    python = join(folder, 'venv', 'bin', 'python')
    writeFileSync(join(folder, 'solver_harness.py'), harness)
    try {
      await run('python3', ['-m', 'venv', join(folder, 'venv')])
      await run(python, ['-m', 'pip', '-q', 'install', 'verifiers==0.4.0'], { timeout: 900_000 })
    } catch (error) {
      unavailable = `verifiers 0.4.0 could not be installed: ${String(error).slice(0, 200)}`
    }
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  it('rolls out a task of a suite with its tools, and gets the reward of its scorers', async (context) => {
    if (unavailable !== undefined) return context.skip(unavailable)
    const { suiteId } = await launchSample(service)
    const { stdout } = await run(python, ['-c', script, suiteId], {
      timeout: 300_000,
      cwd: folder,
      env: {
        ...process.env,
        PYTHONPATH: [folder, join(here, '..'), here].join(':'),
        PYTHONDONTWRITEBYTECODE: '1',
        DIORAMA_BASE_URL: service.baseUrl,
        DIORAMA_API_KEY: service.key,
      },
    })
    const { runs, ...seen } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
    assert.deepEqual(seen, { prompt: 'Nadia', key: true })
    const [solved, idle] = runs
    for (const one of runs) {
      assert.deepEqual(one.errors, [])
      assert.equal(one.leaks, false, 'a trace holds a credential')
      assert.equal(one.seen.done, false)
      assert.equal(one.seen.refused, true)
      assert.ok(one.seen.schema.includes('query'), one.seen.schema)
    }
    assert.deepEqual([solved.rewards.diorama, solved.metrics.passed], [1, 1])
    assert.ok(idle.rewards.diorama < 1)
    assert.equal(idle.metrics.passed, 0)
  })
})
