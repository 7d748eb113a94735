import { type Call, type Operation, operation, type Tables } from '@diorama/twin-kit/kernel/twin'
import type { EdmValues } from '@diorama/twin-kit/wires/odata/model'
import { compareDecimals } from '@diorama/twin-kit/wires/odata/values/decimals'
import { dayOf } from '@diorama/twin-kit/wires/odata/values/moments'
import { availableAt, receiptsOf } from '../../rules/availability.ts'
import { baseUnitOf } from '../../rules/inventory.ts'
import { refusal } from '../../rules/messages.ts'
import { checkMaterialInPlant, checkPlantCode } from '../../rules/organization.ts'

interface Arguments {
  readonly SupplyingPlant: string
  readonly Material: string
  readonly ATPCheckingRule: string
  readonly RequestedUTCDateTime: string
  readonly RequestedQuantityInBaseUnit: string
}

/** Checking rules of the standard configuration: sales order, reservation, delivery and the like. */
const rules = new Set(['A', 'AE', 'AQ', 'AR', 'AW', 'B', 'BB', 'BO', 'PP', '01', '02', '03'])
const endOfTime = '9999-12-31T00:00:00.000Z'

const check = (call: Call, { SupplyingPlant, Material, ATPCheckingRule }: Arguments): void => {
  if (!rules.has(ATPCheckingRule)) throw refusal('ATP/001', [ATPCheckingRule], 'ATPCheckingRule')
  checkPlantCode(call, SupplyingPlant, 'SupplyingPlant')
  checkMaterialInPlant(call, Material, SupplyingPlant)
}

const recordOf = (call: Call, input: Arguments, day: string, end = endOfTime): EdmValues => ({
  PeriodStartUTCDateTime: `${day}T00:00:00.000Z`,
  PeriodStartTimeZone: 'UTC',
  PeriodEndUTCDateTime: end,
  PeriodEndTimeZone: 'UTC',
  AvailableQuantityInBaseUnit: availableAt(
    call,
    { material: input.Material, plant: input.SupplyingPlant },
    day,
  ),
  BaseUnit: baseUnitOf(call, input.Material),
})

/** The days on which availability changes, from today on. */
const daysOf = (call: Call, input: Arguments): string[] => {
  const today = dayOf(call.now)
  const receipts = receiptsOf(call, { material: input.Material, plant: input.SupplyingPlant })
  return [...new Set([today, ...receipts.map(({ date }) => date).filter((date) => date > today)])]
}

const read = <O>(run: (call: Call, input: Arguments) => O): Operation =>
  operation<Tables, Arguments, O>({
    effect: 'read',
    run: (call, input) => {
      check(call, input)
      return run(call, input)
    },
  })

const service = 'API_PRODUCT_AVAILY_INFO_BASIC'

export const availabilityFunctions: Readonly<Record<string, Operation>> = {
  [`GET ${service}/DetermineAvailabilityAt`]: read((call, input) =>
    recordOf(call, input, input.RequestedUTCDateTime.slice(0, 10)),
  ),
  [`GET ${service}/DetermineAvailabilityOf`]: read((call, input) => {
    const wanted = input.RequestedQuantityInBaseUnit
    const records = daysOf(call, input).map((day) => recordOf(call, input, day))
    const enough = records.find(
      ({ AvailableQuantityInBaseUnit }) => compareDecimals(String(AvailableQuantityInBaseUnit), wanted) >= 0,
    )
    return (
      enough ?? { ...records.at(-1), AvailableQuantityInBaseUnit: '0', PeriodStartUTCDateTime: endOfTime }
    )
  }),
  [`GET ${service}/CalculateAvailabilityTimeseries`]: read((call, input) => {
    const days = daysOf(call, input)
    return days.map((day, n) => {
      const next = days[n + 1]
      return recordOf(call, input, day, next === undefined ? endOfTime : `${next}T00:00:00.000Z`)
    })
  }),
}
