import { defaults } from '../codes.ts'
import { accounts, chartOfAccounts } from '../customizing/logistics.ts'
import { cut } from '../cut.ts'
import type { SeedContext } from './context.ts'

/** Company codes and accounts: configuration that callers can read, and nobody changes. */
export const seedFinance = ({ areas, company, keep }: SeedContext): void => {
  for (const code of new Set(areas.map(({ salesOrganization }) => salesOrganization)))
    keep('A_CompanyCode', {
      CompanyCode: code,
      CompanyCodeName: cut(company.organization.name, 25),
      Country: defaults.country,
      Currency: defaults.currency,
      Language: defaults.language,
      ChartOfAccounts: chartOfAccounts,
      FiscalYearVariant: 'K4',
    })
  for (const { number, profitAndLoss } of Object.values(accounts))
    keep('A_GLAccountInChartOfAccounts', {
      ChartOfAccounts: chartOfAccounts,
      GLAccount: number,
      IsBalanceSheetAccount: !profitAndLoss,
      IsProfitLossAccount: profitAndLoss,
      GLAccountExternal: number,
    })
}
