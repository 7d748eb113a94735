import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'

const run = promisify(execFile)

interface Packed {
  readonly manifest: { readonly name: string; readonly version: string }
  readonly data: Buffer
}

const read = async (path: string): Promise<Packed> => {
  const { stdout } = await run('tar', ['-xzOf', path, 'package/package.json'])
  return { manifest: JSON.parse(stdout), data: readFileSync(path) }
}

/**
 * A registry of our packages as they are packed, before they are published: npm asks it for their scope alone, and the
 * machine's own registry for all else.
 */
export const serveRegistry = async (tarballs: readonly string[]) => {
  const packages = await Promise.all(tarballs.map(read))
  const found = new Map(packages.map((one) => [one.manifest.name, one]))
  const server = createServer((request, response) => {
    const [path = ''] = decodeURIComponent(request.url ?? '').split('?')
    const { address, port } = server.address() as AddressInfo
    const name = path.slice(1).replace(/\/-\.tgz$/, '')
    const wanted = found.get(name)
    if (!wanted) return response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
    if (path.endsWith('/-.tgz')) return response.end(wanted.data)
    const { manifest, data } = wanted
    const dist = {
      tarball: `http://${address}:${port}/${name}/-.tgz`,
      integrity: `sha512-${createHash('sha512').update(data).digest('base64')}`,
    }
    const document = {
      name,
      'dist-tags': { latest: manifest.version },
      versions: { [manifest.version]: { ...manifest, dist } },
    }
    response.setHeader('content-type', 'application/json')
    return response.end(JSON.stringify(document))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
