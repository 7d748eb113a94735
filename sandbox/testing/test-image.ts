/** Images made of this machine's own programs, so that no test downloads one. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { type ImageSource, imageLimits } from '../images/image.ts'
import { archiveFiles } from '../images/image-files.ts'

export interface TarEntry {
  readonly name: string
  readonly type?: 'file' | 'directory' | 'symlink' | 'link' | 'character-device' | 'fifo'
  readonly content?: string | Uint8Array
  readonly linkname?: string
  readonly mode?: number
}

export const tarOf = async (entries: readonly TarEntry[]): Promise<Buffer> => {
  const archive = pack()
  for (const { name, type = 'file', content = '', linkname, mode = 0o755 } of entries)
    archive.entry(
      { name, type, mode, ...(linkname === undefined ? {} : { linkname }) },
      type === 'file' ? Buffer.from(content) : Buffer.alloc(0),
    )
  archive.finalize()
  const pieces: Buffer[] = []
  for await (const piece of archive as unknown as AsyncIterable<Buffer>) pieces.push(piece)
  return Buffer.concat(pieces)
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

export interface TestImage {
  readonly layers: readonly Buffer[]
  readonly config?: object
  readonly tags?: readonly string[]
  readonly architecture?: string
}

const configOf = ({ layers, config = {}, architecture }: TestImage): Buffer =>
  Buffer.from(
    JSON.stringify({
      os: 'linux',
      architecture: architecture ?? (process.arch === 'x64' ? 'amd64' : process.arch),
      config,
      rootfs: { type: 'layers', diff_ids: layers.map((layer) => `sha256:${sha256(layer)}`) },
    }),
  )

/** As `docker save` writes it. */
export const savedImage = (image: TestImage): Promise<Buffer> => {
  const config = configOf(image)
  const manifest = [
    {
      Config: `${sha256(config)}.json`,
      RepoTags: image.tags ?? [],
      Layers: image.layers.map((_, n) => `${n}/layer.tar`),
    },
  ]
  return tarOf([
    { name: `${sha256(config)}.json`, content: config },
    ...image.layers.map((content, n) => ({ name: `${n}/layer.tar`, content })),
    { name: 'manifest.json', content: JSON.stringify(manifest) },
  ])
}

/** In the OCI image layout, with compressed layers. */
export const layoutEntries = (image: TestImage): TarEntry[] => {
  const config = configOf(image)
  const blobs = new Map<string, Buffer>()
  const described = (bytes: Buffer) => {
    blobs.set(sha256(bytes), bytes)
    return { digest: `sha256:${sha256(bytes)}`, size: bytes.length }
  }
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      config: described(config),
      layers: image.layers.map((layer) => described(gzipSync(layer))),
    }),
  )
  const annotations = image.tags?.[0] ? { 'org.opencontainers.image.ref.name': image.tags[0] } : {}
  const index = { schemaVersion: 2, manifests: [{ ...described(manifest), annotations }] }
  return [
    { name: 'oci-layout', content: '{"imageLayoutVersion":"1.0.0"}' },
    { name: 'index.json', content: JSON.stringify(index) },
    ...[...blobs].map(([digest, content]) => ({ name: `blobs/sha256/${digest}`, content })),
  ]
}

export const sourceOf = (archive: Buffer, limits = imageLimits, tag?: string): ImageSource => ({
  key: sha256(archive),
  tag,
  files: (spool) => archiveFiles(Readable.from([archive]), spool, limits),
})

const tools = [
  ...[
    'sh',
    'bash',
    'ls',
    'cat',
    'env',
    'tr',
    'grep',
    'sleep',
    'readlink',
    'head',
    'id',
    'mkdir',
    'ln',
    'mkfifo',
  ],
  ...[
    'truncate',
    'du',
    'seq',
    'rm',
    'su',
    'timeout',
    'touch',
    'dirname',
    'setsid',
    'yes',
    'tar',
    'gzip',
    'true',
  ],
  ...['curl', 'getent', 'unshare', 'mount', 'passwd', 'newgrp', 'echo', 'kill', 'tail', 'wc'],
]

/** This machine's folders that are links, such as /bin, and where they lead. */
const systemLinks = ['bin', 'sbin', 'lib', 'lib64'].filter(
  (name) => existsSync(`/${name}`) && realpathSync(`/${name}`) !== `/${name}`,
)

const librariesOf = (program: string): string[] => {
  try {
    const listed = execFileSync('ldd', [program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    return [...listed.matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path ?? '')
  } catch {
    return []
  }
}

export interface HostImageOptions {
  readonly programs?: readonly string[]
  readonly python?: boolean
  readonly node?: boolean
}

/** A layer with programs of this machine and the libraries that they need, at the paths they have here. */
export const hostLayer = ({
  programs = tools,
  python = false,
  node = false,
}: HostImageOptions = {}): {
  layer: Buffer
  path: string
} => {
  const search = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin']
  const found = programs.flatMap((name) => search.map((folder) => join(folder, name)).find(existsSync) ?? [])
  const folders: string[] = []
  const extra: string[] = node ? [process.execPath] : []
  if (python) {
    const asked =
      'import sys, sysconfig; print(sys.executable); print(sysconfig.get_path("stdlib")); print(sys.base_prefix)'
    const [executable = '', library = ''] = execFileSync('python3', ['-c', asked], {
      encoding: 'utf8',
    }).split('\n')
    extra.push(executable, library)
    const loaded = join(library, 'lib-dynload')
    for (const name of readdirSync(loaded)) extra.push(...librariesOf(join(loaded, name)))
    extra.push(...librariesOf(executable))
    folders.push(dirname(executable))
  }
  const all = [...found, ...extra].flatMap((path) => [path, ...librariesOf(path)])
  const real = new Set(all.flatMap((path) => [throughLinks(path), realpathSync(path)]))
  const list = [...systemLinks.map((name) => `/${name}`), ...real]
  const layer = execFileSync(
    'tar',
    [
      ...['-cf', '-', '-C', '/', '--owner=0', '--group=0', '--hard-dereference'],
      // Where this machine has it may be a place that jobs cover with their own.
      ...(node ? ['--transform', `s,^${process.execPath.slice(1)}$,usr/local/bin/node,`] : []),
      ...['--exclude=site-packages', '--exclude=test', '--exclude=config-3*', '-T', '-'],
    ],
    {
      input: list.map((path) => path.slice(1)).join('\n'),
      maxBuffer: 2 ** 30,
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  )
  return { layer, path: [...folders, ...search].join(':') }
}

/** The path without the links of its folders; a program may itself be a link, such as sh. */
const throughLinks = (path: string): string =>
  join(realpathSync(dirname(path)), path.slice(dirname(path).length + 1))
