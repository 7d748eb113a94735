import type { PersonalField } from '@diorama/twin-kit/datasets/dataset'

/** Where a system keeps what is known of people. The names of organizations are companies', and stay. */
export const personal: Record<string, Record<string, PersonalField>> = {
  user: { name: 'name', handle: 'handle', email: 'email' },
  business_partner: {
    FirstName: 'name',
    LastName: 'name',
    MiddleName: 'name',
    AdditionalLastName: 'name',
    BirthName: 'name',
    PersonFullName: 'name',
  },
  address_email_address: { EmailAddress: 'email', SearchEmailAddress: 'email' },
  address_phone_number: { PhoneNumber: 'phone', InternationalPhoneNumber: 'phone' },
  address_fax_number: { FaxNumber: 'phone', InternationalFaxNumber: 'phone' },
}
