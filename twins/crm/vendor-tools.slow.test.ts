import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { type Served, serveCrmBelow } from './testing/world.ts'

/**
 * A folder in which `npm install @salesforce/cli @salesforce/mcp @tsmztech/mcp-server-salesforce` was run: the vendor's
 * command line, its MCP server, and the most used MCP server of others. They weigh a gigabyte, and so are not kept.
 */
const tools = process.env.CRM_TOOLS
const username = 'integration@northwind.northwind.example'

const environmentOf = (home: string, { token }: Pick<Served, 'token'>): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: home,
  SF_ACCESS_TOKEN: token,
  SF_USE_GENERIC_UNIX_KEYCHAIN: 'true',
  SF_DISABLE_TELEMETRY: 'true',
  SFDX_DISABLE_DNS_CHECK: 'true',
  SF_DISABLE_AUTOUPDATE: 'true',
  NO_COLOR: '1',
})

interface Outcome {
  readonly code: number
  readonly stdout: string
}

/** The command line as a person would call it, logged in to a twin below a path. */
const commandLine = async () => {
  const host = await serveCrmBelow('/t/tw_4f2a')
  const home = await mkdtemp(join(tmpdir(), 'crm-tools-'))
  const env = environmentOf(home, host)
  const program = join(tools ?? '', 'node_modules/@salesforce/cli/bin/run.js')
  const run = (...words: readonly string[]): Promise<Outcome> =>
    new Promise((resolve) => {
      execFile(process.execPath, [program, ...words], { env, timeout: 120_000, cwd: home }, (error, stdout) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, stdout }),
      )
    })
  const json = async (...words: readonly string[]) => {
    const { stdout } = await run(...words, '--target-org', 'twin', '--json')
    // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into by the tests.
    return JSON.parse(stdout) as { status: number; result: any; message?: string }
  }
  const close = async (): Promise<void> => {
    await host[Symbol.asyncDispose]()
    await rm(home, { recursive: true, force: true })
  }
  const login = ['org', 'login', 'access-token', '--no-prompt', '--alias', 'twin', '--set-default', '--json']
  const { stdout } = await run(...login, '--instance-url', `${host.baseUrl}/`)
  if (!stdout.includes(username)) {
    await close()
    throw new Error(`the login failed: ${stdout}`)
  }
  return { host, home, env, run, json, [Symbol.asyncDispose]: close }
}

const ask = async (
  program: string,
  args: readonly string[],
  env: Record<string, string>,
  work: (call: (name: string, input: Record<string, unknown>) => Promise<string>) => Promise<void>,
): Promise<void> => {
  const path = join(tools ?? '', 'node_modules', program)
  const client = new Client({ name: 'judge', version: '1.0.0' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [path, ...args],
    env,
    stderr: 'ignore',
  })
  await client.connect(transport)
  try {
    await work(async (name, input) => JSON.stringify(await client.callTool({ name, arguments: input })))
  } finally {
    await client.close()
  }
}

describe('the vendor’s command line', { skip: tools === undefined }, () => {
  it('logs in, asks, describes, writes, searches and loads in bulk', { timeout: 600_000 }, async () => {
    await using line = await commandLine()
    const { json, run, home, host } = line
    const table = await run(
      ...['data', 'query', '--target-org', 'twin', '--result-format', 'csv', '--query'],
      'SELECT Name, Owner.Name FROM Account ORDER BY Name LIMIT 1',
    )
    assert.equal(table.stdout.trim(), 'Name,Owner.Name\nAcme Foods,Lucía Fernández')
    const sums = await run(
      ...['data', 'query', '--target-org', 'twin', '--result-format', 'csv', '--query'],
      'SELECT IsClosed, COUNT(Id), SUM(Amount) worth FROM Opportunity GROUP BY IsClosed',
    )
    assert.equal(sums.stdout.trim(), 'IsClosed,count(Id),worth\nfalse,3,183500\ntrue,2,16500')
    const refused = await json('data', 'query', '--query', 'SELECT Nope FROM Account')
    assert.match(refused.message ?? '', /No such column 'Nope' on entity 'Account'/)
    const made = await json('data', 'create', 'record', '-s', 'Account', '-v', "Name='From the line'")
    assert.equal(made.result.success, true)
    const where = ['-s', 'Account', '-w', "Name='From the line'"]
    assert.equal((await json('data', 'update', 'record', ...where, '-v', 'Phone=123')).result.success, true)
    assert.equal((await json('data', 'get', 'record', ...where)).result.Phone, '123')
    assert.equal((await json('data', 'delete', 'record', ...where)).result.success, true)
    assert.equal((await json('sobject', 'describe', '-s', 'Case')).result.keyPrefix, '500')
    const tree = [{ attributes: { type: 'Account', referenceId: 'a1' }, Name: 'From a tree' }]
    await writeFile(join(home, 'tree.json'), JSON.stringify({ records: tree }))
    assert.equal((await json('data', 'import', 'tree', '-f', 'tree.json')).result[0].refId, 'a1')
    const exported = ['data', 'export', 'bulk', '-q', 'SELECT Name FROM Lead', '--output-file', 'out.csv']
    assert.equal((await json(...exported, '--wait', '2')).result.totalSize, 2)
    assert.match(await readFile(join(home, 'out.csv'), 'utf8'), /"?Priya Nair"?/)
    assert.deepEqual(host.failures, [])
  })
})

describe('the vendor’s MCP server', { skip: tools === undefined }, () => {
  it('answers queries of both APIs and passes refusals on', { timeout: 300_000 }, async () => {
    await using line = await commandLine()
    const where = { usernameOrAlias: username, directory: line.home }
    const args = ['--orgs', username, '--toolsets', 'data,orgs', '--no-telemetry']
    await ask('@salesforce/mcp/bin/run.js', args, line.env, async (call) => {
      assert.match(await call('list_all_orgs', { directory: line.home }), /tw_4f2a/)
      const query = 'SELECT Name, Owner.Name FROM Account ORDER BY Name'
      assert.match(await call('run_soql_query', { query, ...where }), /Lucía Fernández/)
      const tooling = "SELECT QualifiedApiName FROM EntityDefinition WHERE QualifiedApiName = 'Account'"
      const found = await call('run_soql_query', { query: tooling, useToolingApi: true, ...where })
      assert.match(found, /\\"totalSize\\": 1/)
      const refused = await call('run_soql_query', { query: 'SELECT Nope FROM Account', ...where })
      assert.match(refused, /No such column 'Nope' on entity 'Account'/)
    })
    assert.deepEqual(line.host.failures, [])
  })
})

describe('the most used MCP server of others', { skip: tools === undefined }, () => {
  it('logs in with a password, finds objects, asks, writes and searches', { timeout: 300_000 }, async () => {
    await using host = await serveCrmBelow('/t/tw_4f2a')
    const env = {
      PATH: process.env.PATH ?? '',
      SALESFORCE_CONNECTION_TYPE: 'User_Password',
      SALESFORCE_USERNAME: username,
      SALESFORCE_PASSWORD: host.token.slice(host.token.indexOf('!') + 1),
      SALESFORCE_TOKEN: 'securitytoken',
      SALESFORCE_INSTANCE_URL: host.baseUrl,
    }
    await ask('@tsmztech/mcp-server-salesforce/dist/index.js', [], env, async (call) => {
      assert.match(
        await call('salesforce_search_objects', { searchPattern: 'Opport' }),
        /OpportunityLineItem/,
      )
      assert.match(await call('salesforce_describe_object', { objectName: 'Case' }), /CaseNumber/)
      const query = {
        objectName: 'Account',
        fields: ['Name', 'Owner.Name'],
        whereClause: "Name LIKE 'Acme%'",
      }
      assert.match(await call('salesforce_query_records', query), /Lucía Fernández/)
      const sums = {
        objectName: 'Opportunity',
        selectFields: ['StageName', 'COUNT(Id) Deals'],
        groupByFields: ['StageName'],
      }
      assert.match(await call('salesforce_aggregate_query', sums), /Closed Won/)
      const records = [{ Name: 'From a tool' }]
      const written = await call('salesforce_dml_records', {
        operation: 'insert',
        objectName: 'Account',
        records,
      })
      assert.match(written, /Successful: 1/)
      const wanted = { searchTerm: 'Acme', objects: [{ name: 'Account', fields: ['Name'] }] }
      assert.match(await call('salesforce_search_all', wanted), /Acme Foods/)
    })
    assert.deepEqual(host.failures, [])
  })
})
