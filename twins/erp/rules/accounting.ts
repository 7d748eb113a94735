import type { Call } from '@diorama/twin-kit/kernel/twin'
import type { EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { compareDecimals, round } from '@diorama/twin-kit/wires/odata/values/decimals'
import { nextNumber, save } from '../access.ts'
import { decimalsOfCurrency } from '../codes.ts'
import { type Account, accounts, chartOfAccounts } from '../customizing/logistics.ts'
import { refusal } from './messages.ts'

export interface Posting {
  readonly account: Account
  /** Debits are positive, credits negative. */
  readonly amount: string
  readonly details?: EdmValues
}

export interface JournalEntry {
  readonly company: string
  readonly postingDate: string
  readonly currency: string
  readonly postings: readonly Posting[]
}

const ledger = '0L'

/** Writes the items of a journal entry and returns the number of the accounting document. */
export const postJournal = (call: Call, entry: JournalEntry): string => {
  const { company, postingDate, currency } = entry
  const number = nextNumber(call, 'accounting_document')
  const year = postingDate.slice(0, 4)
  const period = `0${postingDate.slice(5, 7)}`
  const postings = entry.postings.filter(({ amount }) => compareDecimals(amount, '0') !== 0)
  for (const [n, { account, amount, details }] of postings.entries()) {
    const value = round(amount, decimalsOfCurrency(currency))
    const { number: GLAccount, name } = accounts[account]
    save(call, 'A_JournalEntryItemBasic', {
      ...details,
      ID: `${ledger}${company}${year}${number.padStart(10, '0')}${String(n + 1).padStart(6, '0')}`,
      Ledger: ledger,
      LedgerFiscalYear: year,
      CompanyCode: company,
      GLAccount,
      GLAccountName: name,
      ChartOfAccounts: chartOfAccounts,
      TransactionCurrency: currency,
      AmountInTransactionCurrency: value,
      CompanyCodeCurrency: currency,
      AmountInCompanyCodeCurrency: value,
      FiscalPeriod: period,
      FiscalYearPeriod: `${year}${period}`,
      FiscalYearVariant: 'K4',
      ControllingDebitCreditCode: value.startsWith('-') ? 'H' : 'S',
    })
  }
  return number
}

/** Postings are possible in the current month and the one before it. */
export const checkPeriod = (call: Call, day: string, company: string): void => {
  const now = new Date(call.now)
  const month = (back: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back, 1)).toISOString().slice(0, 7)
  if (![month(0), month(1)].includes(day.slice(0, 7)))
    throw refusal('M7/053', [month(0).replace('-', '/'), month(1).replace('-', '/'), company], 'PostingDate')
}
