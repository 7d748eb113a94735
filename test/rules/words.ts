import { isCode, isGenerated, placesOf, type Source } from '../sources.ts'

const emptyNames = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'shared', 'misc'])

/** Folders and files whose names say nothing. */
export const emptyNamed = (sources: readonly Source[]): string[] =>
  sources
    .filter(({ path }) =>
      path.split('/').some((part) => emptyNames.has((part.split('.')[0] ?? '').toLowerCase())),
    )
    .map(({ path }) => `${path} has a name that does not say what it holds`)

const readsClock = [/\bDate\.now\b/, /\bnew Date\(\s*\)/, /(?<!new )\bDate\(\s*\)/]
const readsRandomness = [/\bMath\.random\b/, /\brandom(Bytes|UUID|Int|FillSync)\b/, /\bgetRandomValues\b/]
const readsEnvironment = [/\bprocess\.env\b/]

/**
 * Files that run as programs of their own. They may read the environment, which is how they are spoken to;
 * only those that start the service, a command or a script may read the clock and chance.
 */
const mains = [
  /^server\/(src\/(main|backup)\.ts|diorama-server\.mjs)$/,
  /^sdk\/index\.ts$/,
  /^scripts\//,
  /^twin-kit\/serve\/main\.ts$/,
  /^server\/src\/bridges\/harbor\/grader\/main\.ts$/,
  /^cli\/(main\.ts|diorama\.mjs)$/,
  /^console\/(?!src\/)/,
  /^python\//,
  /^examples\//,
]
const programs = [...mains, /^sandbox\/install\.mjs$/, /^sandbox\/(inside|preload|verifier)\/[\w-]+\.mjs$/]

/** Reads of time, chance and environment in the product's code: they are passed in. */
export const worldlyCalls = (product: readonly Source[]): string[] =>
  product.filter(isCode).flatMap((source) => {
    const is = (kinds: readonly RegExp[]) => kinds.some((kind) => kind.test(source.path))
    return [
      ...(is(mains)
        ? []
        : [...readsClock, ...readsRandomness].flatMap((call) => placesOf(source, call, 'is passed in'))),
      ...(is(programs) ? [] : readsEnvironment.flatMap((call) => placesOf(source, call, 'is passed in'))),
    ]
  })

const markers = /\b(TO[D]O|FIX[M]E|X[X]X)\b/

/** Work that was put off in a comment. */
export const putOff = (sources: readonly Source[]): string[] =>
  sources.filter(isCode).flatMap((source) => placesOf(source, markers, 'puts work off'))

const vendors = [
  /\bslack|(?<!DATA_)SLACK/i,
  /\bLinear(Client)?\b|\bLINEAR|linear\.app|@linear\b/,
  /salesforce|jsforce|\bSF_[A-Z]/i,
  /\bSAP\b|\bSAP_|@sap\b/,
]

/** A twin speaks as its vendor does, and vendors name each other. */
const twinFolders = /^twins\/[\w-]+\//

/** Elsewhere the names are those of hosts, of variables that real clients read, and of spellings on the wire. */
/** Agents of the examples are written for production, and name nothing but the real services. */
const knowsVendors = [/^examples\//, /^sandbox\/gateway\//, /^server\/src\/\w+\/vendor-[\w-]+\.ts$/]

/** Names of vendors outside the twins; elsewhere a service is called by its kind. */
export const vendorWords = (product: readonly Source[]): string[] =>
  product
    .filter((source) => isCode(source) && !twinFolders.test(source.path))
    .filter(({ path }) => !knowsVendors.some((place) => place.test(path)))
    .flatMap((source) => vendors.flatMap((name) => placesOf(source, name, "is a vendor's name")))

const machinePaths = /(?<![\w./-])\/(work|home|Users|root)\/[\w.-]+/
const registries =
  /"resolved": "https?:|^\s*registry\s*=|_auth(Token)?\s*=|:\/\/[^/\s'"]*\b(registry(?!\.npmjs\.org)|artifactory|nexus)\b/
const privateAddresses =
  /(?<![\d.])(10\.\d{1,3}\.\d{1,3}\.\d{1,3}|192\.168\.\d{1,3}\.\d{1,3}|172\.(1[6-9]|2\d|3[01])\.\d{1,3}\.\d{1,3})(?![\d.])/

/** The home that an agent sees in its sandbox is no machine's; the gateway's table and tests name what it refuses. */
const ownPaths = /\/home\/agent\b/
const namesPrivate = [/^sandbox\/.*\.test\.ts$/, /^sandbox\/gateway\/addresses\.ts$/]

/** Where the repository was made is nobody's business. */
export const tracesOfMachines = (sources: readonly Source[]): string[] =>
  sources
    .filter((source) => !isGenerated(source))
    .flatMap((source) => [
      ...placesOf(source, machinePaths, 'names a folder of a machine').filter(
        (place) => !ownPaths.test(place),
      ),
      ...placesOf(source, registries, 'names a registry'),
      ...(namesPrivate.some((place) => place.test(source.path))
        ? []
        : placesOf(source, privateAddresses, 'names a private address')),
    ])
