/**
 * Sends a Node program's requests for real service hosts to their twins.
 *
 *   DIORAMA_REDIRECTS='{"api.example.com":"http://127.0.0.1:4400/t/twn_x","*.example.com":"…"}' \
 *     node --import ./redirect.mjs program.js
 *
 * It is for programs outside a sandbox, and for clients that ignore proxy variables. The path of each request is
 * appended to the base; the host that was asked for travels on in `x-forwarded-host`. It covers the global fetch,
 * node:http(s), on which axios, node-fetch, got and most SDKs are built, and agents of the undici package; a client
 * that opens its own sockets (HTTP/2, undici's Client and Pool) is not seen here and needs the gateway.
 */
import http from 'node:http'
import https from 'node:https'
import Module, { syncBuiltinESMExports } from 'node:module'

const VARIABLE = 'DIORAMA_REDIRECTS'

/** Reads the table once; a mistake in it stops the program, since a request to the real service would be worse. */
function readTable(text) {
  if (!text) return { exact: new Map(), suffixes: [] }
  let entries
  try {
    entries = Object.entries(JSON.parse(text))
  } catch (cause) {
    throw new Error(`${VARIABLE} must be a JSON object of host to base URL`, { cause })
  }
  const exact = new Map()
  const suffixes = []
  for (const [host, target] of entries) {
    if (typeof target !== 'string' || !/^https?:\/\//.test(target) || !URL.canParse(target)) {
      throw new Error(`${VARIABLE}["${host}"] must be an http or https URL`)
    }
    const base = new URL(target)
    const name = host.toLowerCase()
    if (name.startsWith('*.')) suffixes.push([name.slice(1), base])
    else exact.set(name, base)
  }
  suffixes.sort((a, b) => b[0].length - a[0].length)
  return { exact, suffixes }
}

const table = readTable(process.env[VARIABLE])

function baseFor(hostname) {
  const name = hostname.toLowerCase().replace(/\.$/, '')
  return table.exact.get(name) ?? table.suffixes.find(([suffix]) => name.endsWith(suffix))?.[1]
}

/** The path a request asks for, below the base's own path. */
function joined(base, path) {
  return `${base.pathname.replace(/\/$/, '')}${path.startsWith('/') ? path : `/${path}`}`
}

function patchFetch() {
  const original = globalThis.fetch
  globalThis.fetch = async function fetch(input, init) {
    const asked = input instanceof Request ? input.url : String(input)
    const url = URL.canParse(asked) ? new URL(asked) : undefined
    const base = url && baseFor(url.hostname)
    if (!base) return original(input, init)
    const target = new URL(joined(base, `${url.pathname}${url.search}`), base)
    const request = input instanceof Request ? new Request(target, input) : undefined
    const headers = new Headers(init?.headers ?? request?.headers)
    headers.delete('host')
    headers.set('x-forwarded-host', url.host)
    headers.set('x-forwarded-proto', url.protocol.slice(0, -1))
    return original(request ?? target, { ...init, headers })
  }
}

/** Node's request takes (options), (url) or (url, options), each with an optional callback. */
function readArguments(args, scheme) {
  const rest = [...args]
  let options = {}
  if (typeof rest[0] === 'string' || rest[0] instanceof URL) {
    const url = new URL(String(rest.shift()))
    options = { protocol: url.protocol, hostname: url.hostname, path: `${url.pathname}${url.search}` }
    if (url.port) options.port = url.port
    if (url.username) options.auth = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  }
  if (rest[0] && typeof rest[0] === 'object') options = { ...options, ...rest.shift() }
  const hostname = String(options.hostname ?? options.host ?? 'localhost')
  return { options, hostname, scheme: options.protocol ?? scheme, callback: rest[0] }
}

function withForwarded(headers, host, proto) {
  const added = { 'x-forwarded-host': host, 'x-forwarded-proto': proto }
  if (Array.isArray(headers)) {
    const pairs = Array.isArray(headers[0]) ? headers.flat() : headers
    const kept = []
    for (let at = 0; at + 1 < pairs.length; at += 2) {
      if (String(pairs[at]).toLowerCase() !== 'host') kept.push(pairs[at], pairs[at + 1])
    }
    return [...kept, ...Object.entries(added).flat()]
  }
  const kept = Object.entries(headers ?? {}).filter(([name]) => name.toLowerCase() !== 'host')
  return { ...Object.fromEntries(kept), ...added }
}

/** Connection matters belong to the real host: its agent, TLS names and sockets must not follow to the twin. */
const CONNECTION_OPTIONS = [
  'agent',
  'host',
  'hostname',
  'port',
  'protocol',
  'defaultPort',
  'servername',
  'createConnection',
  'socketPath',
  'lookup',
  'href',
  'origin',
  'search',
  'pathname',
  'localAddress',
  'family',
  'ca',
  'cert',
  'key',
  'pfx',
]

function patchModule(module, scheme, originals) {
  const request = function request(...args) {
    const asked = readArguments(args, scheme)
    const base = baseFor(asked.hostname)
    if (!base) return originals[scheme].request(...args)
    const options = { ...asked.options }
    for (const name of CONNECTION_OPTIONS) delete options[name]
    options.protocol = base.protocol
    options.hostname = base.hostname.replace(/^\[|\]$/g, '')
    options.port = base.port || (base.protocol === 'https:' ? 443 : 80)
    options.path = joined(base, String(asked.options.path ?? '/'))
    options.headers = withForwarded(asked.options.headers, asked.hostname, asked.scheme.slice(0, -1))
    return originals[base.protocol].request(options, asked.callback)
  }
  module.request = request
  module.get = function get(...args) {
    const outgoing = request(...args)
    outgoing.end()
    return outgoing
  }
}

/** undici's agents name the origin in each dispatch, so that is the one place to turn a request around. */
function patchUndici(exported) {
  const prototype = exported?.Agent?.prototype
  const holder = prototype && Object.getPrototypeOf(prototype)
  if (typeof holder?.dispatch !== 'function' || patched.has(holder)) return
  patched.add(holder)
  const dispatch = holder.dispatch
  holder.dispatch = function (options, handler) {
    const asked =
      options?.origin && URL.canParse(String(options.origin)) ? new URL(String(options.origin)) : undefined
    const base = asked && baseFor(asked.hostname)
    if (!base) return dispatch.call(this, options, handler)
    const headers = undiciHeaders(options.headers)
    const forwarded = withForwarded(headers, asked.host, asked.protocol.slice(0, -1))
    const path = joined(base, String(options.path ?? '/'))
    return dispatch.call(this, { ...options, origin: base.origin, path, headers: forwarded }, handler)
  }
}

/** undici takes headers as an object, a flat list, or anything that yields pairs. */
function undiciHeaders(headers) {
  if (!headers || Array.isArray(headers) || typeof headers[Symbol.iterator] !== 'function') return headers
  return [...headers].flat()
}

const patched = new WeakSet()

/** The undici package is loaded by the CommonJS loader whether it is required or imported. */
function patchLoader() {
  const load = Module._load
  Module._load = function (request, ...rest) {
    const exported = load.call(this, request, ...rest)
    if (request === 'undici' || /[\\/]undici[\\/]index\.js$/.test(request)) patchUndici(exported)
    return exported
  }
}

patchFetch()
patchLoader()
const originals = { 'http:': { request: http.request }, 'https:': { request: https.request } }
patchModule(http, 'http:', originals)
patchModule(https, 'https:', originals)
syncBuiltinESMExports()
