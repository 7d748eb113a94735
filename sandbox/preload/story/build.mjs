/**
 * Makes the library that shows programs a story's time.
 *
 *     node sandbox/preload/story/build.mjs            for this machine, with its compiler: at install
 *     node sandbox/preload/story/build.mjs --prebuilt for x86-64 and arm64, to be committed; needs both compilers
 *     node sandbox/preload/story/build.mjs --check    whether what is committed was made from the source beside it
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const source = fileURLToPath(new URL('story-time.c', import.meta.url))
const flags = [
  '-O2',
  '-fPIC',
  '-shared',
  '-fvisibility=hidden',
  '-ftls-model=initial-exec',
  '-Wall',
  '-Wextra',
]
const linking = ['-Wl,-s', '-Wl,--build-id=none', '-ldl', '-lpthread']
const compilers = { x64: ['x86_64-linux-gnu-gcc'], arm64: ['aarch64-linux-gnu-gcc'] }

const sha256 = (path) => createHash('sha256').update(readFileSync(path)).digest('hex')
const placeOf = (folder, name) => fileURLToPath(new URL(`${folder}/${name}`, import.meta.url))

/** The first compiler that makes it, or why none did. */
function compile(candidates, arch, folder) {
  mkdirSync(placeOf(folder, ''), { recursive: true })
  const target = placeOf(folder, `story-time-${arch}.so`)
  let problem = 'no C compiler is installed'
  for (const compiler of candidates) {
    const { status, stderr, error } = spawnSync(compiler, [...flags, '-o', target, source, ...linking], {
      encoding: 'utf8',
      timeout: 60_000,
    })
    if (status === 0) return { compiler }
    if (!error) problem = `${compiler} failed: ${stderr.split('\n')[0]}`
  }
  return { problem }
}

function writeManifest(folder, arches, generators) {
  const files = Object.fromEntries(
    arches.map((arch) => [`story-time-${arch}.so`, sha256(placeOf(folder, `story-time-${arch}.so`))]),
  )
  const manifest = {
    source_sha256: sha256(source),
    generator: [...flags, ...linking].join(' '),
    ...generators,
    files,
  }
  writeFileSync(placeOf(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** What is wrong with the committed libraries; undefined when nothing is. */
export const checkPrebuilt = () => {
  const manifest = JSON.parse(readFileSync(placeOf('prebuilt', 'manifest.json'), 'utf8'))
  if (manifest.source_sha256 !== sha256(source))
    return 'story-time.c has changed since the libraries were made: run node sandbox/preload/story/build.mjs --prebuilt'
  for (const [name, expected] of Object.entries(manifest.files))
    if (sha256(placeOf('prebuilt', name)) !== expected)
      return `${name} is not the file that its manifest names`
  return undefined
}

/** Why it could not be compiled; a folder that this user may not write to is no reason to stop. */
const tryCompileHere = () => {
  try {
    const { problem } = compile(['cc', 'gcc', 'clang'], process.arch, 'compiled')
    if (!problem) writeManifest('compiled', [process.arch], {})
    return problem
  } catch (cause) {
    return `the folder of the library cannot be written (${cause.code})`
  }
}

/** For this machine; a sentence for the person who installs, or undefined when all is well. */
export const compileHere = () => {
  if (process.platform !== 'linux') return undefined
  const problem = tryCompileHere()
  if (problem === undefined) return undefined
  if (process.arch in compilers && checkPrebuilt() === undefined) return undefined
  return `Sandbox: programs in trials will not see the story's time (${problem}, and no prebuilt library fits ${process.arch}). Install gcc, or let agents use the wait endpoint.`
}

function main(order) {
  if (order === '--check') return checkPrebuilt()
  if (order !== '--prebuilt') return compileHere()
  const versions = {}
  for (const [arch, candidates] of Object.entries(compilers)) {
    const { compiler, problem } = compile(candidates, arch, 'prebuilt')
    if (problem) return problem
    const [first] = spawnSync(compiler, ['--version'], { encoding: 'utf8' }).stdout.split('\n')
    versions[arch] = first
  }
  writeManifest('prebuilt', Object.keys(compilers), { compilers: versions })
  return undefined
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problem = main(process.argv[2])
  if (problem) console.error(problem)
  process.exitCode = problem ? 1 : 0
}
