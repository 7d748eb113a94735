/** The company that every twin of a world shares. */
export interface Company {
  readonly organization: {
    readonly name: string
    readonly slug: string
    readonly description: string
    readonly industry: string
    readonly emailDomain: string
    readonly headquarters: string | null
  }
  readonly people: readonly Person[]
  readonly apiOwner: Person
  /** The story's now, in milliseconds. */
  readonly clock: number
}

export interface Person {
  readonly handle: string
  readonly firstName: string
  readonly lastName: string
  readonly name: string
  readonly email: string
  readonly title: string
  readonly department: string
  readonly timezone: string
}

/** The parts of a blueprint from which the company is made. */
export interface CompanyBlueprint {
  readonly organization: Company['organization']
  readonly identities: readonly (Omit<Person, 'name' | 'email'> & {
    readonly emailLocalPart: string | null
    readonly isApiOwner: boolean
  })[]
  readonly clock: string
}

/** The people and the clock of a blueprint that has passed its checks. */
export const companyOf = (blueprint: CompanyBlueprint): Company => {
  const { organization } = blueprint
  const people = blueprint.identities.map(
    (identity): Person => ({
      handle: identity.handle,
      firstName: identity.firstName,
      lastName: identity.lastName,
      name: `${identity.firstName} ${identity.lastName}`,
      email: `${identity.emailLocalPart ?? identity.handle}@${organization.emailDomain}`,
      title: identity.title,
      department: identity.department,
      timezone: identity.timezone,
    }),
  )
  const owner = blueprint.identities.findIndex((identity) => identity.isApiOwner)
  const apiOwner = people[owner === -1 ? 0 : owner]
  if (!apiOwner) throw new Error('a company needs people')
  return {
    organization: {
      name: organization.name,
      slug: organization.slug,
      description: organization.description,
      industry: organization.industry,
      emailDomain: organization.emailDomain,
      headquarters: organization.headquarters,
    },
    people,
    apiOwner,
    clock: Date.parse(blueprint.clock),
  }
}
