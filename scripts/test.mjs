// `npm test`: installs what is missing, checks types and style, then runs every quick test.
// `npm test -- --slow` runs the slow ones instead; `npm test -- <files>` runs those files alone.
// `npm run test:chaos -- [--minutes 2] [--trials 24] [--nodes 3] [--seed n] [--faults kill,pause]` puts several nodes under
// faults and load, in about four minutes; `--minutes 30 --trials 500` is the long form.
import { join } from 'node:path'
import { environment, findNode, install, root, run } from './setup.mjs'

install('all')
const node = findNode()
const env = environment(node)
run(node, [join(root, 'sandbox', 'install.mjs')], { env })
const [first, ...rest] = process.argv.slice(2)
if (first === '--chaos') run(node, [join(root, 'test', 'chaos', 'run.ts'), ...rest], { env })
else run(node, [join(root, 'scripts', 'run-tests.mjs'), ...process.argv.slice(2)], { env })
