// `npm run example [name …]`: runs an example of examples/ with Node 24, on whatever Node the machine has, after it
// installed what is missing. Without a name it lists them.
import { join } from 'node:path'
import { environment, fail, findNode, install, root, run, say } from './setup.mjs'

/** By name: the file, and whether it needs more packages than the service. */
const examples = {
  'quick-start': { file: 'quick-start.ts' },
  'official-clients': { file: 'official-clients/evaluate.ts', needs: 'all' },
  otlp: { file: 'otlp.ts', needs: 'all' },
  'trace-to-task': { file: 'trace-to-task.ts' },
  'model-agent': { file: 'model-agent.ts' },
}

const [name = '', ...args] = process.argv.slice(2)
const example = Object.hasOwn(examples, name) ? examples[name] : undefined
if (!example)
  fail(
    `${name === '' ? 'name an example' : `there is no example ${name}`}: ${Object.keys(examples).join(', ')}`,
  )
install(example.needs ?? 'product')
const node = findNode()
const env = environment(node)
run(node, [join(root, 'sandbox', 'install.mjs')], { env })
say(`node examples/${example.file}`)
run(node, [join(root, 'examples', example.file), ...args], { env })
