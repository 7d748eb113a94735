/** Finds the image in an archive of `docker save` or in the OCI image layout, and holds what it names to its digests. */
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { isRecord } from '@diorama/contract/records'
import { BadImage, type ImageConfig, type ImageFiles } from './image.ts'

const maxDocumentBytes = 4 * 2 ** 20
const maxIndexDepth = 4
const machines: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }
const digestForm = /^sha256:([0-9a-f]{64})$/

type Json = Readonly<Record<string, unknown>>

export interface Layer {
  /** Its path among the files of the image. */
  readonly path: string
  /** Of its bytes as they are stored, where the image names it. */
  readonly sha256: string | undefined
  /** Of its tar, unpacked. */
  readonly diffId: string
}

export interface FoundImage {
  readonly digest: string
  readonly layers: readonly Layer[]
  readonly config: ImageConfig
}

/** The one image that is meant: the one of the tag, or the only one there is. */
export const findImage = async (
  files: ImageFiles,
  tag: string | undefined,
  machine: string,
): Promise<FoundImage> => {
  const index = await document(files, 'index.json')
  if (index) return fromLayout(files, index, tag, machine)
  const saved = await document(files, 'manifest.json')
  if (saved) return fromSaved(files, saved, tag, machine)
  throw new BadImage(
    'There is neither an index.json nor a manifest.json: send what `docker save` writes, or a folder in the OCI image layout.',
  )
}

const fromSaved = async (
  files: ImageFiles,
  saved: unknown,
  tag: string | undefined,
  machine: string,
): Promise<FoundImage> => {
  const image = chosen(
    list(saved).map((one) => ({ value: one, tags: strings(one.RepoTags) })),
    tag,
  )
  const place = String(image.Config ?? '')
  const bytes = await bytesOf(files, place)
  const digest = sha256(bytes)
  const named = /([0-9a-f]{64})(?:\.json)?$/.exec(place)?.[1]
  if (named !== undefined && named !== digest)
    throw new BadImage(`The configuration ${place} has the digest ${digest}.`)
  const config = parsed(bytes, place)
  return {
    digest,
    config: configOf(config, machine),
    layers: layersOf(
      config,
      strings(image.Layers).map((path) => ({ path, sha256: undefined })),
    ),
  }
}

const fromLayout = async (
  files: ImageFiles,
  index: unknown,
  tag: string | undefined,
  machine: string,
): Promise<FoundImage> => {
  const descriptors = list(record(index).manifests).map((value) => {
    const notes = record(value.annotations)
    const tags = [notes['org.opencontainers.image.ref.name'], notes['io.containerd.image.name']]
    return { value, tags: strings(tags) }
  })
  const several =
    descriptors.length > 1 && tag === undefined && descriptors.every(({ tags }) => tags.length === 0)
  let descriptor = several
    ? forMachine(
        descriptors.map(({ value }) => value),
        machine,
      )
    : chosen(descriptors, tag)
  for (let depth = 0; depth < maxIndexDepth; depth++) {
    const found = await described(files, descriptor)
    if (!Array.isArray(found.manifests)) return fromManifest(files, found, machine)
    descriptor = forMachine(list(found.manifests), machine)
  }
  throw new BadImage(`The index of the image leads through more than ${maxIndexDepth} others.`)
}

const fromManifest = async (files: ImageFiles, manifest: Json, machine: string): Promise<FoundImage> => {
  const descriptor = record(manifest.config)
  const config = await described(files, descriptor)
  const stored = list(manifest.layers).map((one) => ({ path: blobPath(one), sha256: digestOf(one) }))
  return {
    digest: digestOf(descriptor),
    config: configOf(config, machine),
    layers: layersOf(config, stored),
  }
}

const layersOf = (config: Json, stored: readonly Omit<Layer, 'diffId'>[]): Layer[] => {
  const diffIds = strings(record(config.rootfs).diff_ids)
  if (diffIds.length !== stored.length || stored.length === 0)
    throw new BadImage(
      `The image has ${stored.length} layers, and its configuration names ${diffIds.length}.`,
    )
  return stored.map((layer, n) => {
    const diffId = digestForm.exec(diffIds[n] ?? '')?.[1]
    if (diffId === undefined) throw new BadImage(`The layer ${n} has no sha256 digest in the configuration.`)
    return { ...layer, diffId }
  })
}

const forMachine = (descriptors: readonly Json[], machine: string): Json => {
  const fits = descriptors.filter(({ platform }) => {
    const { os = 'linux', architecture } = record(platform)
    return os === 'linux' && (architecture === undefined || architecture === machines[machine])
  })
  const [found] = fits
  if (!found) throw new BadImage(`The image is not for this machine, which is linux/${machines[machine]}.`)
  return found
}

const chosen = (
  images: readonly { value: Json; tags: readonly string[] }[],
  tag: string | undefined,
): Json => {
  const fits =
    tag === undefined ? images : images.filter(({ tags }) => tags.some((one) => isSameTag(one, tag)))
  const [found] = fits
  const known = images.flatMap(({ tags }) => tags)
  if (!found)
    throw new BadImage(`There is no image ${tag ?? ''} here, but ${known.join(', ') || 'none with a tag'}.`)
  if (fits.length > 1)
    throw new BadImage(`There are several images here; name one of ${known.join(', ')} in run.image.`)
  return found.value
}

/** `docker save` leaves out what a reference means without saying it. */
const isSameTag = (one: string, other: string): boolean =>
  fullTag(one) === fullTag(other) || one === other || one.endsWith(`:${other}`)
const fullTag = (tag: string): string => {
  const plain = tag.replace(/^docker\.io\//, '').replace(/^library\//, '')
  return /:[^/]+$/.test(plain) ? plain : `${plain}:latest`
}

const configOf = (config: Json, machine: string): ImageConfig => {
  const { os = 'linux', architecture } = config
  const wanted = machines[machine]
  if (os !== 'linux' || (architecture !== undefined && architecture !== wanted))
    throw new BadImage(
      `The image is for ${String(os)}/${String(architecture)}; this machine is linux/${wanted}.`,
    )
  const inner = record(config.config)
  const env = strings(inner.Env).map((line) => {
    const mark = line.indexOf('=')
    return [mark === -1 ? line : line.slice(0, mark), mark === -1 ? '' : line.slice(mark + 1)]
  })
  const workingDir = typeof inner.WorkingDir === 'string' ? inner.WorkingDir : ''
  return {
    command: [...strings(inner.Entrypoint), ...strings(inner.Cmd)],
    env: Object.fromEntries(env),
    workingDir: workingDir.startsWith('/') && workingDir !== '/' ? workingDir : undefined,
  }
}

const blobPath = (descriptor: Json): string => `blobs/sha256/${digestOf(descriptor)}`

const digestOf = ({ digest }: Json): string => {
  const found = digestForm.exec(String(digest))?.[1]
  if (found === undefined) throw new BadImage(`The digest ${String(digest).slice(0, 100)} is no sha256.`)
  return found
}

const described = async (files: ImageFiles, descriptor: Json): Promise<Json> => {
  const path = blobPath(descriptor)
  const bytes = await bytesOf(files, path)
  if (sha256(bytes) !== digestOf(descriptor))
    throw new BadImage(`${path} does not have the digest of its name.`)
  return parsed(bytes, path)
}

const document = async (files: ImageFiles, path: string): Promise<unknown> => {
  const stream = await files.open(path)
  return stream && anyJson(await whole(stream, path), path)
}

const bytesOf = async (files: ImageFiles, path: string): Promise<Buffer> => {
  const stream = await files.open(path)
  if (!stream) throw new BadImage(`The image names ${path.slice(0, 200)}, which is not in it.`)
  return whole(stream, path)
}

const whole = async (stream: Readable, path: string): Promise<Buffer> => {
  const pieces: Buffer[] = []
  let held = 0
  for await (const piece of stream) {
    pieces.push(piece)
    held += piece.length
    if (held > maxDocumentBytes)
      throw new BadImage(`${path.slice(0, 200)} is larger than ${maxDocumentBytes} bytes.`)
  }
  return Buffer.concat(pieces)
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

const parsed = (bytes: Buffer, path: string): Json => record(anyJson(bytes, path))

const anyJson = (bytes: Buffer, path: string): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (cause) {
    throw new BadImage(`${path.slice(0, 200)} is not JSON.`, { cause })
  }
}

const record = (value: unknown): Json => (isRecord(value) ? value : {})
const list = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isRecord) : [])
const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []
