import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { parse, parseAllDocuments } from 'yaml'
import { root } from '../sources.ts'

const run = promisify(execFile)
const timeout = 1_800_000
const helmModule = 'helm.sh/helm/v3/cmd/helm@v3.22.0'
const kedaModule = 'github.com/kedacore/keda/v2@v2.17.2'
const schemas = 'kubernetes-validate==1.37.0'
const versions = ['1.33', '1.37']
const chart = join(root, 'deploy/helm/diorama')
const needed = ['--set', 'existingSecret=secrets', '--set', 'baseUrl=https://diorama.example.com']

/** Checks the resource in the second file against the schema of version v1alpha1 of the definition in the first. */
const checkDefinition = `
import jsonschema, sys, yaml
definition, resource = (yaml.safe_load(open(path)) for path in sys.argv[1:])
[version] = [one for one in definition["spec"]["versions"] if one["name"] == "v1alpha1"]
jsonschema.validate(resource, version["schema"]["openAPIV3Schema"])
`

interface Resource {
  readonly kind: string
  readonly metadata: { readonly name: string }
  // biome-ignore lint/suspicious/noExplicitAny: resources of every kind are looked into.
  readonly spec: any
}

let folder = ''
let helm: readonly string[] = []
let validate: string | undefined
let missing: string | undefined

const works = (program: string, args: readonly string[]): Promise<boolean> =>
  run(program, [...args], { timeout }).then(
    () => true,
    () => false,
  )

before(
  async () => {
    folder = mkdtempSync(join(tmpdir(), 'diorama-chart-'))
    if (await works('helm', ['version'])) helm = ['helm']
    else if (await works('go', ['run', helmModule, 'version'])) helm = ['go', 'run', helmModule]
    else missing = 'neither helm nor Go with its modules is there'
    if (missing !== undefined) return
    if (await works('kubernetes-validate', ['--version'])) validate = 'kubernetes-validate'
    else if (
      (await works('python3', ['-m', 'venv', folder])) &&
      (await works(join(folder, 'bin/pip'), ['install', '-q', schemas]))
    )
      validate = join(folder, 'bin/kubernetes-validate')
  },
  { timeout },
)
after(() => rmSync(folder, { recursive: true, force: true }))

const render = async (...settings: string[]): Promise<string> => {
  const [program = '', ...words] = helm
  const args = [...words, 'template', 'it', chart, '--kube-version', '1.33.0', ...settings]
  return (await run(program, args, { cwd: folder, timeout })).stdout
}
const resourcesIn = (text: string): Resource[] =>
  parseAllDocuments(text).flatMap((document) => (document.toJS() as Resource | null) ?? [])

const scaled = {
  off: [],
  keda: [
    '--set',
    'autoscaling.mode=keda',
    '--set',
    'ingress.enabled=true',
    '--set',
    'ingress.host=a.example',
  ],
  external: [
    '--set',
    'autoscaling.mode=external',
    '--set-json',
    'networkPolicy.clients=[{"podSelector":{}}]',
  ],
}

describe('the Helm chart', () => {
  it('renders resources that Kubernetes takes, in every mode', { timeout }, async (context) => {
    if (missing !== undefined) return context.skip(missing)
    if (validate === undefined) return context.skip(`${schemas} cannot be installed`)
    for (const [mode, settings] of Object.entries(scaled)) {
      const resources = resourcesIn(await render(...needed, ...settings))
      const known = resources.filter(({ kind }) => kind !== 'ScaledObject')
      assert.ok(known.length >= 7, mode)
      const file = join(folder, `${mode}.yaml`)
      writeFileSync(file, known.map((one) => JSON.stringify(one)).join('\n---\n'))
      for (const version of versions) await run(validate, ['--strict', '--quiet', '-k', version, file])
      writeFileSync(file, JSON.stringify(known[0]).replace('"spec":{', '"spec":{"misspelt":1,'))
      await assert.rejects(run(validate, ['--strict', '--quiet', '-k', '1.33', file]))
    }
  })

  it('scales workers by a ScaledObject that KEDA takes', { timeout }, async (context) => {
    if (missing !== undefined) return context.skip(missing)
    const resource = resourcesIn(await render(...needed, ...scaled.keda)).find(
      ({ kind }) => kind === 'ScaledObject',
    )
    assert.ok(resource)
    const [trigger] = resource.spec.triggers
    assert.equal(trigger.metadata.valueLocation, 'diorama_trials_wanted')
    assert.equal(trigger.metadata.url, 'http://it.default:4400/metrics')
    const downloaded = await run('go', ['mod', 'download', '-json', kedaModule], { timeout }).catch(
      () => undefined,
    )
    if (!downloaded || validate === undefined) return context.skip('the module of KEDA cannot be had')
    const definition = join(JSON.parse(downloaded.stdout).Dir, 'config/crd/bases/keda.sh_scaledobjects.yaml')
    const file = join(folder, 'scaled.yaml')
    const script = join(folder, 'check.py')
    writeFileSync(script, checkDefinition)
    writeFileSync(file, JSON.stringify(resource))
    const [shebang = ''] = readFileSync(await which(validate), 'utf8').split('\n')
    const python = shebang.replace(/^#!/, '')
    await run(python, [script, definition, file])
    writeFileSync(file, JSON.stringify({ ...resource, spec: { ...resource.spec, triggers: undefined } }))
    await assert.rejects(run(python, [script, definition, file]), /triggers/)
  })

  it('runs every pod as an ordinary user, with probes, a delay before the end, and secrets by reference', {
    timeout,
  }, async (context) => {
    if (missing !== undefined) return context.skip(missing)
    const resources = resourcesIn(await render(...needed))
    const pods = resources.filter(({ kind }) => kind === 'Deployment')
    assert.deepEqual(pods.map(({ metadata }) => metadata.name).sort(), ['it', 'it-worker'])
    const roles = pods.map(({ spec }) => {
      const { securityContext, containers, terminationGracePeriodSeconds, ...pod } = spec.template.spec
      const [container] = containers
      assert.equal(securityContext.runAsNonRoot, true)
      assert.equal(pod.automountServiceAccountToken, false)
      assert.deepEqual(container.securityContext.capabilities, { drop: ['ALL'] })
      assert.equal(container.securityContext.readOnlyRootFilesystem, true)
      assert.equal(container.readinessProbe.httpGet.path, '/readyz')
      assert.equal(container.livenessProbe.httpGet.path, '/healthz')
      assert.deepEqual(container.lifecycle.preStop.exec.command, ['sleep', '5'])
      assert.equal(terminationGracePeriodSeconds, 65)
      assert.deepEqual(container.envFrom, [{ secretRef: { name: 'secrets' } }])
      return container.env.find(({ name }: { name: string }) => name === 'DIORAMA_ROLES').value
    })
    assert.deepEqual(roles.sort(), ['api,twins', 'worker'])
  })

  it('sets only variables that the service reads', { timeout }, async (context) => {
    if (missing !== undefined) return context.skip(missing)
    const page = readFileSync(join(root, 'docs/operating.md'), 'utf8')
    const text = await render(...needed, '--set', 'twinOrigin=https://twins.example.com')
    const names = [...text.matchAll(/\{ name: ([A-Z_]+), value/g)].map(([, name = '']) => name)
    assert.ok(names.includes('DIORAMA_TWIN_ORIGIN'))
    assert.deepEqual(
      names.filter((name) => !page.includes(`\`${name}\``)),
      [],
    )
  })

  it('refuses values that are missing or misspelt, by name', { timeout }, async (context) => {
    if (missing !== undefined) return context.skip(missing)
    await assert.rejects(render(), /existingSecret: name a Secret/)
    await assert.rejects(render('--set', 'existingSecret=s'), /baseUrl: set the address/)
    await assert.rejects(render(...needed, '--set', 'worker.slot=3'), /'slot' not allowed/)
    await assert.rejects(render(...needed, '--set', 'worker.roles=cook'), /worker\/roles/)
  })

  it('has the version of the service', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'server/package.json'), 'utf8'))
    assert.equal(parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8')).appVersion, version)
  })
})

const which = async (program: string): Promise<string> =>
  (await run('sh', ['-c', `command -v ${program}`])).stdout.trim()
