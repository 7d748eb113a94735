import type { OrganizationTables } from './migrations/0001-organizations.ts'

/** Every table there is; each migration brings the types of the tables it makes. */
export interface Database extends OrganizationTables {}
