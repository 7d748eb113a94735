/** How addresses of a country are checked: the form of its postal codes, and its regions where they are kept. */
export interface CountrySettings {
  readonly postalCode: RegExp
  /** The form in words, as the message names it. */
  readonly form: string
  readonly regions?: ReadonlySet<string>
}

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))
const digits = (count: number): Pick<CountrySettings, 'postalCode' | 'form'> => ({
  postalCode: new RegExp(`^\\d{${count}}$`),
  form: '9'.repeat(count),
})

const states = words(`
  AK AL AR AS AZ CA CO CT DC DE FL GA GU HI IA ID IL IN KS KY LA MA MD ME MI MN MO MP MS MT NC ND NE NH NJ NM NV NY OH OK
  OR PA PR RI SC SD TN TX UT VA VI VT WA WI WV WY`)
/** Numbers in older systems, letters in newer ones. */
const laender = words(`
  01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 BB BE BW BY HB HE HH MV NI NW RP SH SL SN ST TH`)

export const countrySettings: Readonly<Record<string, CountrySettings>> = {
  AT: digits(4),
  AU: { ...digits(4), regions: words('ACT NSW NT QLD SA TAS VIC WA') },
  BE: digits(4),
  CA: {
    postalCode: /^[A-Z]\d[A-Z] \d[A-Z]\d$/,
    form: 'A9A 9A9',
    regions: words('AB BC MB NB NL NS NT NU ON PE QC SK YT'),
  },
  CH: digits(4),
  CN: digits(6),
  DE: { ...digits(5), regions: laender },
  DK: digits(4),
  ES: digits(5),
  FI: digits(5),
  FR: digits(5),
  IN: digits(6),
  IT: digits(5),
  JP: { postalCode: /^\d{3}-\d{4}$/, form: '999-9999' },
  MX: digits(5),
  NL: { postalCode: /^\d{4} [A-Z]{2}$/, form: '9999 AA' },
  NO: digits(4),
  PL: { postalCode: /^\d{2}-\d{3}$/, form: '99-999' },
  PT: { postalCode: /^\d{4}-\d{3}$/, form: '9999-999' },
  SE: { postalCode: /^\d{3} \d{2}$/, form: '999 99' },
  US: { postalCode: /^\d{5}(-\d{4})?$/, form: '99999 or 99999-9999', regions: states },
}
