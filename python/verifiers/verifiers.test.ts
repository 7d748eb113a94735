import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { z } from 'zod'

const run = promisify(execFile)
const folder = fileURLToPath(new URL('./diorama_verifiers', import.meta.url))

/** Prints the classes of the package without importing it: what each extends, and its methods with their marks. */
const reader = `
import ast, json, pathlib, sys
classes = {}
for file in sorted(pathlib.Path(sys.argv[1]).glob("*.py")):
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.ClassDef):
            classes[node.name] = {
                "bases": [ast.unparse(base) for base in node.bases],
                "methods": {
                    one.name: {
                        "marks": [ast.unparse(mark) for mark in one.decorator_list],
                        "arguments": [argument.arg for argument in one.args.args],
                        "returns": ast.unparse(one.returns) if one.returns else None,
                        "asynchronous": isinstance(one, ast.AsyncFunctionDef),
                    }
                    for one in node.body if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))
                },
                "fields": [ast.unparse(one.target) for one in node.body if isinstance(one, ast.AnnAssign)],
            }
init = ast.parse((pathlib.Path(sys.argv[1]) / "__init__.py").read_text())
exported = [ast.literal_eval(one.value) for one in init.body if isinstance(one, ast.Assign) and one.targets[0].id == "__all__"][0]
print(json.dumps({"classes": classes, "exported": exported}))
`

const Method = z.object({
  marks: z.array(z.string()),
  arguments: z.array(z.string()),
  returns: z.string().nullable(),
  asynchronous: z.boolean(),
})
const Package = z.object({
  exported: z.array(z.string()),
  classes: z.record(
    z.string(),
    z.object({
      bases: z.array(z.string()),
      methods: z.record(z.string(), Method),
      fields: z.array(z.string()),
    }),
  ),
})

describe('the package for verifiers', () => {
  it('has the classes that the interface asks for: a taskset, tasks with rewards, and a toolset', async () => {
    const { stdout } = await run('python3', ['-c', reader, folder])
    const { classes, exported } = Package.parse(JSON.parse(stdout))
    const extending = (base: string) => {
      const found = Object.entries(classes).filter(([, { bases }]) =>
        bases.some((one) => one === `vf.${base}` || one.startsWith(`vf.${base}[`)),
      )
      assert.equal(found.length, 1, base)
      return found[0] ?? ['', { bases: [], methods: {}, fields: [] }]
    }
    const [tasksetName, taskset] = extending('Taskset')
    assert.ok(exported.includes(tasksetName), 'the taskset is not exported from __init__')
    assert.deepEqual(taskset.methods.load?.arguments, ['self'])
    const [taskName, task] = extending('Task')
    assert.ok(taskset.bases[0]?.includes(taskName))
    const [dataName, data] = extending('TaskData')
    assert.ok(task.bases[0]?.includes(dataName))
    // These are the fields of the interface itself, which a subclass must leave as they are.
    for (const field of ['idx', 'prompt']) assert.ok(!data.fields.includes(field))
    extending('TasksetConfig')
    extending('TaskConfig')
    const marked = (mark: string) =>
      Object.values(task.methods).filter(({ marks }) => marks.includes(`vf.${mark}`))
    assert.ok(marked('reward').length > 0, 'no reward')
    for (const one of [...marked('reward'), ...marked('metric')])
      assert.deepEqual([one.arguments, one.returns], [['self', 'trace'], 'float'])
    for (const name of ['setup', 'finalize'])
      assert.deepEqual(
        [task.methods[name]?.arguments, task.methods[name]?.asynchronous],
        [['self', 'trace', 'runtime'], true],
      )
    const [toolsetName] = extending('Toolset')
    assert.ok(task.methods.toolsets, `nothing hands ${toolsetName} to a harness`)
  })
})
