import { type Findings, known, notAfter, unique } from '@diorama/twin-kit/kernel/findings'
import type { CheckContext } from '@diorama/twin-kit/kernel/manifest'
import { FormulaError, formulaFunctions, functionsIn, parseFormula } from './formula/parse.ts'
import type { CrmCustomization, CrmSection } from './section.ts'

const lists = ['accounts', 'contacts', 'leads', 'opportunities', 'cases'] as const

export const check = (section: CrmSection, context: CheckContext): void => {
  const { findings, handles, clock } = context
  for (const list of lists) {
    unique(
      findings,
      section[list].map(({ key }, n) => ({ name: key, pointer: `/${list}/${n}/key` })),
      'key',
    )
    section[list].forEach(({ owner }, n) =>
      known(findings, { name: owner, pointer: `/${list}/${n}/owner` }, handles, 'identity'),
    )
  }
  checkAccounts(section, findings)
  checkCases(section, findings)
  checkSecurity(section, context)
  if (section.customization) checkCustomization(section, context)
  section.escalation?.forEach(({ assignTo }, n) =>
    known(findings, { name: assignTo, pointer: `/escalation/${n}/assignTo` }, handles, 'identity'),
  )
  for (const list of ['opportunities', 'cases'] as const)
    section[list].forEach(({ createdAt }, n) =>
      notAfter(findings, createdAt, clock, `/${list}/${n}/createdAt`),
    )
  section.opportunities.forEach(({ stage, probability }, n) => {
    const closed = stage === 'closed_won' ? 100 : stage === 'closed_lost' ? 0 : undefined
    if (probability !== null && closed !== undefined && probability !== closed)
      findings.warn(`/opportunities/${n}/probability`, `is unusual for ${stage}, which stands at ${closed}`)
  })
}

/** Everything that the security model names exists, and nobody has two profiles or roles. */
const checkSecurity = ({ security }: CrmSection, { findings, handles }: CheckContext): void => {
  if (!security) return
  const { profiles, permissionSets, roles, groups, sharingRules } = security
  const keysOf = (list: readonly { readonly key: string }[]) => new Set(list.map(({ key }) => key))
  for (const [name, list] of Object.entries({ profiles, permissionSets, roles, groups })) {
    const at = `/security/${name}`
    unique(
      findings,
      list.map(({ key }, n) => ({ name: key, pointer: `${at}/${n}/key` })),
      'key',
    )
    const people = list.flatMap((one, n) =>
      one.people.map((handle, m) => ({ name: handle, pointer: `${at}/${n}/people/${m}` })),
    )
    for (const person of people) known(findings, person, handles, 'identity')
    if (name === 'profiles' || name === 'roles') unique(findings, people, 'person')
  }
  roles.forEach(({ parent }, n) =>
    known(findings, { name: parent, pointer: `/security/roles/${n}/parent` }, keysOf(roles), 'role'),
  )
  sharingRules.forEach((rule, n) => {
    for (const side of ['ownedBy', 'sharedWith'] as const) {
      const { kind, key } = rule[side]
      const names = keysOf(kind === 'group' ? groups : roles)
      known(findings, { name: key, pointer: `/security/sharingRules/${n}/${side}/key` }, names, kind)
    }
  })
}

const checkAccounts = (section: CrmSection, findings: Findings) => {
  const accounts = new Set(section.accounts.map(({ key }) => key))
  for (const list of ['contacts', 'opportunities', 'cases'] as const)
    section[list].forEach(({ account }, n) =>
      known(findings, { name: account, pointer: `/${list}/${n}/account` }, accounts, 'account'),
    )
}

const checkCases = ({ cases, contacts }: CrmSection, findings: Findings) => {
  const byKey = new Map(contacts.map((contact) => [contact.key, contact]))
  cases.forEach(({ account, contact }, n) => {
    const pointer = `/cases/${n}/contact`
    known(findings, { name: contact, pointer }, new Set(byKey.keys()), 'contact')
    const person = contact === null ? undefined : byKey.get(contact)
    if (person && person.account !== account) findings.warn(pointer, 'is a contact of another account')
  })
}

const at = '/customization'

/** Standard objects that can have custom fields, record types, validation rules and records in a blueprint. */
const customizableObjects: readonly string[] =
  'Account Asset Campaign Case Contact Contract Entitlement Event Knowledge__kav Lead LiveChatTranscript Opportunity OpportunityLineItem Order OrderItem Pricebook2 PricebookEntry Product2 ProductCatalog ProductCategory ProductCategoryProduct Quote QuoteLineItem Task User'.split(
    ' ',
  )

/** Everything that custom metadata names exists, and its formulas can be read. */
const checkCustomization = (section: CrmSection, { findings, handles }: CheckContext): void => {
  const { customization } = section
  if (!customization) return
  const { objects, fields, recordTypes, validationRules, records } = customization
  const names = new Set<string>([...customizableObjects, ...objects.map(({ name }) => name)])
  for (const [list, items] of Object.entries({ fields, recordTypes, validationRules, records }))
    items.forEach(({ object }, n) =>
      known(findings, { name: object, pointer: `${at}/${list}/${n}/object` }, names, 'object'),
    )
  unique(
    findings,
    objects.map(({ name }, n) => ({ name, pointer: `${at}/objects/${n}/name` })),
    'object',
  )
  for (const [list, items] of Object.entries({ fields, recordTypes }))
    unique(
      findings,
      items.map(({ object, name }, n) => ({ name: `${object}.${name}`, pointer: `${at}/${list}/${n}/name` })),
      'name',
    )
  fields.forEach((field, n) => checkField(field, { findings, names, pointer: `${at}/fields/${n}` }))
  validationRules.forEach(({ formula }, n) =>
    checkFormula(findings, formula, `${at}/validationRules/${n}/formula`),
  )
  checkApprovals(customization.approvalProcesses ?? [], { findings, handles, names })
  unique(
    findings,
    (customization.platformEvents ?? []).map(({ name }, n) => ({
      name,
      pointer: `${at}/platformEvents/${n}/name`,
    })),
    'event',
  )
  checkRecords(section, { findings, handles })
}

const checkApprovals = (
  processes: NonNullable<CrmCustomization['approvalProcesses']>,
  {
    findings,
    handles,
    names,
  }: Pick<CheckContext, 'findings' | 'handles'> & { readonly names: ReadonlySet<string> },
): void => {
  const place = (n: number) => `${at}/approvalProcesses/${n}`
  unique(
    findings,
    processes.map(({ name }, n) => ({ name, pointer: `${place(n)}/name` })),
    'process',
  )
  for (const [n, { object, entryCriteria, steps }] of processes.entries()) {
    known(findings, { name: object, pointer: `${place(n)}/object` }, names, 'object')
    if (entryCriteria !== undefined) checkFormula(findings, entryCriteria, `${place(n)}/entryCriteria`)
    for (const [step, { approver }] of steps.entries())
      if (!['manager', 'submitter'].includes(approver))
        known(
          findings,
          { name: approver, pointer: `${place(n)}/steps/${step}/approver` },
          handles,
          'identity',
        )
  }
}

const checkField = (
  { type, referenceTo, formula, rollUp }: CrmCustomization['fields'][number],
  { findings, names, pointer }: { findings: Findings; names: ReadonlySet<string>; pointer: string },
): void => {
  if (type === 'reference' && referenceTo === undefined)
    findings.error(`${pointer}/referenceTo`, 'is needed: it says which object the reference points to')
  if (referenceTo !== undefined)
    known(findings, { name: referenceTo, pointer: `${pointer}/referenceTo` }, names, 'object')
  if (formula !== undefined) checkFormula(findings, formula, `${pointer}/formula`)
  if (!rollUp) return
  known(findings, { name: rollUp.object, pointer: `${pointer}/rollUp/object` }, names, 'object')
  if (rollUp.operation !== 'count' && rollUp.of === undefined)
    findings.error(`${pointer}/rollUp/of`, `is needed for ${rollUp.operation}`)
}

const checkFormula = (findings: Findings, formula: string, pointer: string): void => {
  try {
    for (const name of functionsIn(parseFormula(formula)))
      if (!formulaFunctions.includes(name))
        findings.error(pointer, `calls ${name}, which the twin does not emulate`)
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error
    findings.error(pointer, error.message)
  }
}

const checkRecords = (
  { accounts, contacts, leads, opportunities, cases, customization }: CrmSection,
  { findings, handles }: Pick<CheckContext, 'findings' | 'handles'>,
): void => {
  const records = customization?.records ?? []
  const others = [...accounts, ...contacts, ...leads, ...opportunities, ...cases].map(({ key }) => key)
  unique(
    findings,
    [
      ...others.map((name) => ({ name, pointer: 'the records above' })),
      ...records.map(({ key }, n) => ({ name: key, pointer: `${at}/records/${n}/key` })),
    ].filter(
      ({ name, pointer }, n, all) =>
        pointer.startsWith(at) || all.findIndex((one) => one.name === name) === n,
    ),
    'key',
  )
  records.forEach(({ owner }, n) =>
    known(findings, { name: owner, pointer: `${at}/records/${n}/owner` }, handles, 'identity'),
  )
}
