// `npm start`: installs what is missing, then runs the service until it is stopped.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { environment, findNode, install, root, run } from './setup.mjs'

const parentCheckMs = 250

install('product')
const node = findNode()
const env = environment(node)
run(node, [join(root, 'sandbox', 'install.mjs')], { env })
const console = join(root, 'console', 'build.mjs')
if (existsSync(console)) run(node, [console], { env })

const service = spawn(node, [join(root, 'server', 'src', 'main.ts'), ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
  env,
})
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => service.kill(signal))
service.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))

// npm ends at once on SIGTERM and does not forward it, which would orphan the service. Losing npm means: stop.
if (process.env.npm_lifecycle_event !== undefined) {
  const { ppid } = process
  const watch = setInterval(() => {
    if (process.ppid === ppid) return
    clearInterval(watch)
    service.kill('SIGTERM')
  }, parentCheckMs)
}
