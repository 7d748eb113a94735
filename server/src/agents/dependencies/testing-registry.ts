import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { tarOf } from '@diorama/sandbox/testing/test-image'

/** A stand-in for the registries of both package managers, with one package each, on loopback. */
export interface TestRegistry extends AsyncDisposable {
  readonly url: string
  /** What was asked for, in order. */
  readonly requests: string[]
  /** Files of an agent that depends on the packages. */
  readonly npmFiles: Readonly<Record<string, string>>
  readonly pipFiles: Readonly<Record<string, string>>
}

const wheelName = 'greeting-1.0.0-py3-none-any.whl'

export const openTestRegistry = async (): Promise<TestRegistry> => {
  const script = "node -e \"require('fs').writeFileSync('ran.txt', 'yes')\""
  const manifest = { name: 'greeting', version: '1.0.0', bin: 'cli.js', scripts: { postinstall: script } }
  const tarball = gzipSync(
    await tarOf([
      { name: 'package/package.json', content: JSON.stringify(manifest) },
      { name: 'package/index.js', content: "module.exports = 'hello from npm'" },
      { name: 'package/cli.js', content: '#!/usr/bin/env node\n' },
    ]),
  )
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
  const wheel = execFileSync('python3', ['-c', wheelProgram], { maxBuffer: 1_048_576 })
  const wheelSha256 = createHash('sha256').update(wheel).digest('hex')
  const requests: string[] = []
  const server = createServer((asked, answer) => {
    const path = asked.url ?? ''
    requests.push(path)
    const send = (type: string, body: string | Buffer) =>
      answer.writeHead(200, { 'content-type': type }).end(body)
    if (path === '/npm/greeting/-/greeting-1.0.0.tgz') return send('application/octet-stream', tarball)
    if (path === '/pip/greeting/')
      return send('text/html', `<a href="../files/${wheelName}#sha256=${wheelSha256}">${wheelName}</a>`)
    if (path === `/pip/files/${wheelName}`) return send('application/octet-stream', wheel)
    return answer.writeHead(404, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const declared = { name: 'agent', version: '1.0.0', dependencies: { greeting: '1.0.0' } }
  return {
    url,
    requests,
    npmFiles: {
      'package.json': JSON.stringify(declared),
      'package-lock.json': JSON.stringify({
        name: 'agent',
        version: '1.0.0',
        lockfileVersion: 3,
        packages: {
          '': declared,
          'node_modules/greeting': {
            version: '1.0.0',
            resolved: 'https://registry.npmjs.org/greeting/-/greeting-1.0.0.tgz',
            integrity,
            hasInstallScript: true,
            bin: { greeting: 'cli.js' },
          },
        },
      }),
    },
    pipFiles: { 'requirements.txt': `greeting==1.0.0 \\\n    --hash=sha256:${wheelSha256}\n` },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const wheelProgram = `
import io, sys, zipfile
out = io.BytesIO()
info = "greeting-1.0.0.dist-info"
with zipfile.ZipFile(out, "w") as wheel:
    wheel.writestr("greeting.py", "text = 'hello from pip'\\n")
    wheel.writestr(info + "/METADATA", "Metadata-Version: 2.1\\nName: greeting\\nVersion: 1.0.0\\n")
    wheel.writestr(info + "/WHEEL", "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(info + "/RECORD", "greeting.py,,\\n" + info + "/METADATA,,\\n" + info + "/WHEEL,,\\n" + info + "/RECORD,,\\n")
sys.stdout.buffer.write(out.getvalue())
`
