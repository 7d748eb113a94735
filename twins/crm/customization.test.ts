import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createFindings } from '@diorama/twin-kit/kernel/findings'
import { compileSeed, freezeSeed } from '@diorama/twin-kit/kernel/seed'
import { seedFor, startInstance, testCompany } from '@diorama/twin-kit/testing/host'
import { check } from './check.ts'
import { evaluate, evaluated, heldAs } from './formula/evaluate.ts'
import { formulaFunctions, parseFormula } from './formula/parse.ts'
import { section as crmSection } from './section.ts'
import { callOn } from './testing/setup.ts'
import { section } from './testing/world.ts'
import { crm } from './twin.ts'

const customization = {
  objects: [{ name: 'Issue__c', label: 'Issue', nameLabel: 'Issue Number', nameFormat: 'ISS-{0000}' }],
  fields: [
    {
      object: 'Issue__c',
      name: 'Account__c',
      type: 'reference',
      referenceTo: 'Account',
      childRelationshipName: 'Issues',
    },
    { object: 'Issue__c', name: 'Cost__c', type: 'currency' },
    {
      object: 'Issue__c',
      name: 'Severity__c',
      type: 'picklist',
      picklist: ['Low', 'High'],
      restricted: true,
    },
    {
      object: 'Issue__c',
      name: 'Label__c',
      type: 'string',
      formula: 'Name & " (" & Account__r.Name & ")" & IF(Cost__c > 100, " costly", "")',
    },
    { object: 'Account', name: 'Tier__c', type: 'string', externalId: true },
    {
      object: 'Account',
      name: 'Issue_Cost__c',
      type: 'currency',
      rollUp: { object: 'Issue__c', field: 'Account__c', operation: 'sum', of: 'Cost__c' },
    },
    { object: 'Opportunity', name: 'Days_Left__c', type: 'int', formula: 'CloseDate - TODAY()' },
  ],
  recordTypes: [
    { object: 'Case', name: 'Repair', isDefault: true },
    { object: 'Case', name: 'Complaint' },
  ],
  validationRules: [
    {
      object: 'Opportunity',
      formula: 'AND(ISPICKVAL(StageName, "Closed Won"), ISBLANK(NextStep))',
      message: 'Say what happens next.',
      field: 'NextStep',
    },
    {
      object: 'Issue__c',
      formula: 'AND(ISCHANGED(Cost__c), Cost__c < PRIORVALUE(Cost__c))',
      message: 'Costs only rise.',
    },
  ],
  records: [
    {
      key: 'leak-1',
      object: 'Issue__c',
      owner: 'lucia',
      fields: { Account__c: 'acme', Cost__c: 70, Severity__c: 'Low' },
    },
    { key: 'leak-2', object: 'Issue__c', fields: { Account__c: 'acme', Cost__c: 130 } },
    { key: 'seal', object: 'Product2', fields: { Name: 'Seal', IsActive: true } },
  ],
}
const customSection = crmSection.parse({ ...section, customization })

const customOrganization = () => {
  const seed = seedFor(crm, customSection)
  const { instance, token } = startInstance(seed)
  const key = (name: string): string => seed.seed.keys.find((one) => one.key === name)?.id ?? ''
  const call = (method: string, path: string, body?: unknown) => callOn(instance, token, method, path, body)
  const query = (text: string) => call('GET', `/query?q=${encodeURIComponent(text)}`).body.records
  return { call, key, query, instance }
}
const code = ({ status, body }: { status: number; body: { errorCode: string; message: string }[] }) => [
  status,
  body[0]?.errorCode,
  body[0]?.message,
]

describe('a customized organization', () => {
  it('has its objects and fields in descriptions, queries, searches and relationships', () => {
    const { call, query } = customOrganization()
    const described = call('GET', '/sobjects/Issue__c/describe').body
    assert.deepEqual([described.custom, described.label, described.keyPrefix], [true, 'Issue', 'a00'])
    const formula = described.fields.find(({ name }: { name: string }) => name === 'Label__c')
    assert.deepEqual([formula.calculated, formula.createable], [true, false])
    assert.deepEqual(
      query('SELECT Name, Label__c, Account__r.Name FROM Issue__c ORDER BY Name').map(
        ({ Name, Label__c }: Record<string, string>) => `${Name}: ${Label__c}`,
      ),
      ['ISS-0001: ISS-0001 (Acme Foods)', 'ISS-0002: ISS-0002 (Acme Foods) costly'],
    )
    const [acme] = query(
      "SELECT Issue_Cost__c, (SELECT Cost__c FROM Issues__r) FROM Account WHERE Name = 'Acme Foods'",
    )
    assert.deepEqual([acme.Issue_Cost__c, acme.Issues__r.totalSize], [200, 2])
    const search = `/search?q=${encodeURIComponent('FIND {ISS*} IN NAME FIELDS RETURNING Issue__c(Id)')}`
    assert.equal(call('GET', search).body.searchRecords.length, 2)
    assert.equal(
      query("SELECT Days_Left__c FROM Opportunity WHERE Name = 'Acme Pump Renewal'")[0].Days_Left__c,
      29,
    )
  })

  it('writes, numbers and finds its records, which graders see under the name of their object', () => {
    const { call, key, instance } = customOrganization()
    const made = call('POST', '/sobjects/Issue__c', { Account__c: key('delta'), Cost__c: 5 })
    assert.equal(made.status, 201)
    const { body } = call('GET', `/sobjects/Issue__c/${made.body.id}`)
    assert.equal(body.Name, 'ISS-0003')
    assert.deepEqual(
      instance.diff().map(({ collection, operation }) => [collection, operation]),
      [['Issue__c', 'create']],
    )
    assert.equal(call('PATCH', `/sobjects/Account/${key('acme')}`, { Tier__c: 'gold-1' }).status, 204)
    assert.equal(call('GET', '/sobjects/Account/Tier__c/gold-1').body.Name, 'Acme Foods')
    assert.deepEqual(code(call('POST', '/sobjects/Issue__c', { Severity__c: 'Odd' })).slice(0, 2), [
      400,
      'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST',
    ])
    assert.deepEqual(code(call('POST', '/sobjects/Issue__c', { Name: 'x' })).slice(0, 2), [
      400,
      'INVALID_FIELD_FOR_INSERT_UPDATE',
    ])
  })

  it('refuses with the message of a validation rule whose formula is met', () => {
    const { call, key } = customOrganization()
    const won = { StageName: 'Closed Won' }
    assert.deepEqual(code(call('PATCH', `/sobjects/Opportunity/${key('acme-renewal')}`, won)), [
      400,
      'FIELD_CUSTOM_VALIDATION_EXCEPTION',
      'Say what happens next.',
    ])
    const saved = call('PATCH', `/sobjects/Opportunity/${key('acme-renewal')}`, {
      ...won,
      NextStep: 'Invoice',
    })
    assert.equal(saved.status, 204)
    assert.equal(
      code(call('PATCH', `/sobjects/Issue__c/${key('leak-2')}`, { Cost__c: 1 }))[2],
      'Costs only rise.',
    )
    assert.equal(call('PATCH', `/sobjects/Issue__c/${key('leak-2')}`, { Cost__c: 131 }).status, 204)
  })

  it('has record types: a default, a choice, and none of another object', () => {
    const { call, query } = customOrganization()
    const types = query(
      "SELECT Id, DeveloperName FROM RecordType WHERE SobjectType = 'Case' ORDER BY DeveloperName",
    )
    assert.deepEqual(
      types.map(({ DeveloperName }: { DeveloperName: string }) => DeveloperName),
      ['Complaint', 'Repair'],
    )
    const made = call('POST', '/sobjects/Case', { Subject: 'x' }).body.id
    const [item] = query(`SELECT RecordType.DeveloperName FROM Case WHERE Id = '${made}'`)
    assert.equal(item.RecordType.DeveloperName, 'Repair')
    const infos = call('GET', '/sobjects/Case/describe').body.recordTypeInfos
    assert.deepEqual(
      infos.map((info: { developerName: string; defaultRecordTypeMapping: boolean }) => [
        info.developerName,
        info.defaultRecordTypeMapping,
      ]),
      [
        ['Repair', true],
        ['Complaint', false],
        ['Master', false],
      ],
    )
  })

  it('is restored whole from its seed alone', () => {
    const compiled = compileSeed(crm, customSection, testCompany)
    const restored = freezeSeed(crm, JSON.parse(JSON.stringify(compiled.seed)))
    const { instance, token } = startInstance(restored)
    const { body } = callOn(instance, token, 'GET', '/query?q=SELECT+Name+FROM+Issue__c')
    assert.equal(body.totalSize, 2)
  })

  it('leaves other organizations as they were', () => {
    const { instance, token } = startInstance(seedFor(crm, section))
    assert.equal(callOn(instance, token, 'GET', '/sobjects/Issue__c/describe').status, 404)
    assert.deepEqual(compileSeed(crm, section, testCompany).seed.tables.$customization, [])
  })

  it('is refused in a blueprint whose names or formulas do not hold', () => {
    const findings = createFindings()
    const broken = crmSection.parse({
      ...section,
      customization: {
        fields: [
          { object: 'Nope', name: 'A__c', type: 'string' },
          { object: 'Account', name: 'B__c', type: 'string', formula: 'VLOOKUP(Name' },
          { object: 'Account', name: 'C__c', type: 'string', formula: 'VLOOKUP(Name)' },
          { object: 'Account', name: 'D__c', type: 'reference' },
        ],
        records: [{ key: 'acme', object: 'Account', fields: {} }],
      },
    })
    check(broken, { findings, handles: new Set(), clock: '2026-03-02T09:00:00Z' })
    assert.deepEqual(
      findings.errors.map(({ pointer }) => pointer).filter((pointer) => pointer.startsWith('/customization')),
      [
        '/customization/fields/0/object',
        '/customization/fields/1/formula',
        '/customization/fields/2/formula',
        '/customization/fields/3/referenceTo',
        '/customization/records/0/key',
      ],
    )
  })
})

describe('a formula', () => {
  const values: Readonly<Record<string, unknown>> = {
    Amount: 250,
    Stage: 'Open',
    Close: '2026-03-31',
    Empty: null,
  }
  const result = (text: string): unknown =>
    heldAs(
      evaluate(parseFormula(text), {
        read: ([name = '']) => values[name] ?? null,
        prior: () => null,
        isNew: true,
        today: Math.floor(testCompany.clock / 86_400_000),
        now: testCompany.clock,
      }),
    )
  for (const [text, expected] of [
    ['1 + 2 * 3 ^ 2', 19],
    ['(1 + 2) * -3', -9],
    ['Amount / 0', null],
    ['IF(Amount >= 250 && NOT(ISBLANK(Stage)), "big", "small")', 'big'],
    ['CASE(Stage, "New", 1, "Open", 2, 3)', 2],
    ['TEXT(Amount) & "-" & UPPER(Stage)', '250-OPEN'],
    ['Close - TODAY()', 29],
    ['Close + 1', '2026-04-01'],
    ['YEAR(Close) * 100 + MONTH(Close)', 202_603],
    ['DATE(2026, 2, 30)', null],
    ['BLANKVALUE(Empty, 7)', 7],
    ['ISBLANK(Empty) <> FALSE', true],
    ['ROUND(2.345, 2)', 2.35],
    ['ISCHANGED(Amount)', false],
    ['OR(CONTAINS(Stage, "pe"), 1/0 = 1)', true],
  ] as const)
    it(`gives ${JSON.stringify(expected)} for ${text}`, () => {
      assert.equal(result(text), expected)
    })

  it('is refused when it is broken, too long or nested without end', () => {
    for (const text of ['1 +', 'IF(', '"open', `${'('.repeat(1_000)}1`, '1 '.repeat(3_000), '#'])
      assert.throws(() => parseFormula(text), /./, text.slice(0, 20))
  })
  it('is accepted in a blueprint with the functions that are evaluated, and no others', () => {
    assert.deepEqual([...formulaFunctions].sort(), [...evaluated].sort())
  })
  it('does not grow without bound', () => {
    const nested = `${'SUBSTITUTE('.repeat(50)}"a"${', "a", "aa")'.repeat(50)}`
    assert.equal(String(result(nested)).length, 32_768)
  })
})
