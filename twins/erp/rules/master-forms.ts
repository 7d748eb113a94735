import type { EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { text } from '../access.ts'
import { countrySettings } from '../customizing/countries.ts'
import { refusal } from './messages.ts'

/** Refuses a region that its country does not have, and a postal code of another form; some countries are not checked. */
export const checkAddressForm = (set: string, address: EdmValues): void => {
  const of = (name: string): string => text(set, address, name)
  const country = of('Country')
  const settings = countrySettings[country]
  if (!settings) return
  const [region, postalCode] = [of('Region'), of('PostalCode')]
  if (region !== '' && settings.regions && !settings.regions.has(region))
    throw refusal('00/058', [`${country} ${region}`, 'T005S'], 'Region')
  if (postalCode !== '' && !settings.postalCode.test(postalCode))
    throw refusal('AM/216', [postalCode, settings.form, country], 'PostalCode')
}

/** Refuses an IBAN whose check digits do not fit the rest (ISO 13616, modulo 97). */
export const checkIban = (values: EdmValues): void => {
  const iban = String(values.IBAN ?? '').replaceAll(' ', '')
  if (iban !== '' && !isIban(iban)) throw refusal('AR/115', [iban], 'IBAN')
}

const isIban = (iban: string): boolean => {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{10,30}$/.test(iban)) return false
  const moved = `${iban.slice(4)}${iban.slice(0, 4)}`
  let rest = 0
  for (const character of moved)
    for (const digit of String(Number.parseInt(character, 36))) rest = (rest * 10 + Number(digit)) % 97
  return rest === 1
}
