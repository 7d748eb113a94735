import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { orderService, partnerService, type Reply } from './testing/requests.ts'
import { done, refused, type Tools, withTwin } from './testing/with-twin.ts'

const partners = `${partnerService}/A_BusinessPartner`
const message = ({ json }: Reply): string => json.error.message.value

describe('a business partner', () => {
  it('is made with roles, addresses, e-mail addresses and sales areas at once, and can then be sold to', () =>
    withTwin(async ({ write, get }) => {
      const body = {
        BusinessPartnerCategory: '2',
        OrganizationBPName1: 'Lindqvist Marine',
        to_BusinessPartnerRole: [{ BusinessPartnerRole: 'FLCU00' }, { BusinessPartnerRole: 'FLCU01' }],
        to_BusinessPartnerAddress: [
          {
            Country: 'SE',
            CityName: 'Malmö',
            to_EmailAddress: [{ EmailAddress: 'hej@lindqvist.example' }],
            to_MobilePhoneNumber: [{ PhoneNumber: '701234' }],
          },
        ],
        to_Customer: {
          to_CustomerSalesArea: [
            { SalesOrganization: '1710', DistributionChannel: '10', Division: '00', Currency: 'SEK' },
          ],
        },
      }
      const made = await write({ method: 'POST', url: partners, body })
      assert.equal(made.status, 201, made.text)
      const { json } = await get(
        `${partners}('17100005')?$expand=to_BusinessPartnerAddress/to_EmailAddress,to_BusinessPartnerAddress/to_MobilePhoneNumber,to_BusinessPartnerAddress/to_PhoneNumber,to_Customer/to_CustomerSalesArea/to_PartnerFunction,to_BusinessPartnerRole`,
      )
      const [address] = json.d.to_BusinessPartnerAddress.results
      assert.equal(json.d.BusinessPartnerFullName, 'Lindqvist Marine')
      assert.equal(json.d.SearchTerm1, 'LINDQVIST MARINE')
      assert.equal(address.to_EmailAddress.results[0].EmailAddress, 'hej@lindqvist.example')
      assert.deepEqual(
        [address.to_MobilePhoneNumber.results.length, address.to_PhoneNumber.results.length],
        [1, 0],
      )
      assert.equal(json.d.to_Customer.to_CustomerSalesArea.results[0].to_PartnerFunction.results.length, 4)
      const order = await write({
        method: 'POST',
        url: `${orderService}/A_SalesOrder`,
        body: {
          SalesOrderType: 'OR',
          SalesOrganization: '1710',
          DistributionChannel: '10',
          OrganizationDivision: '00',
          SoldToParty: '17100005',
        },
      })
      assert.equal(order.json.d.TransactionCurrency, 'SEK')
    }))

  it('needs a category and a name', () =>
    withTwin(async ({ write }) => {
      assert.equal(
        message(await write({ method: 'POST', url: partners, body: {} })),
        'Business partner category  is not allowed',
      )
      assert.equal(
        message(await write({ method: 'POST', url: partners, body: { BusinessPartnerCategory: '2' } })),
        'Enter the name of the business partner',
      )
      assert.equal(
        message(await write({ method: 'POST', url: partners, body: { BusinessPartnerCategory: '1' } })),
        'Enter the last name of the business partner',
      )
      assert.equal(
        message(
          await write({
            method: 'PATCH',
            url: `${partners}('17100001')`,
            body: { BusinessPartnerCategory: '1' },
          }),
        ),
        'Business partner category cannot be changed',
      )
    }))

  it('carries its new name to its customer and its addresses, with who changed it and when', () =>
    withTwin(async ({ write, host }) => {
      assert.equal(
        (
          await write({
            method: 'PATCH',
            url: `${partners}('17100002')`,
            body: { OrganizationBPName1: 'Harbour Foods' },
          })
        ).status,
        204,
      )
      assert.deepEqual(
        host.instance
          .diff()
          .map(({ collection, after }) => [
            collection,
            after?.BusinessPartnerFullName ?? after?.CustomerName ?? after?.FullName,
          ]),
        [
          ['business_partner', 'Harbour Foods'],
          ['business_partner_address', 'Harbour Foods'],
          ['customer', 'Harbour Foods'],
        ],
      )
      const [changed] = host.instance.diff()
      assert.deepEqual(
        [changed?.after?.LastChangeDate, changed?.after?.LastChangeTime, changed?.after?.LastChangedByUser],
        ['2026-03-02', 'PT09H00M00S', 'CC0000000001'],
      )
    }))

  it('keeps its standard address, and loses another with all that belongs to it', () =>
    withTwin(async ({ write, get }) => {
      const made = await write({
        method: 'POST',
        url: `${partners}('17100001')/to_BusinessPartnerAddress`,
        body: {
          Country: 'FR',
          CityName: 'Lyon',
          to_EmailAddress: { results: [{ EmailAddress: 'a@b.example' }] },
        },
      })
      assert.equal(made.status, 201)
      const address = (id: string) =>
        `${partnerService}/A_BusinessPartnerAddress(BusinessPartner='17100001',AddressID='${id}')`
      assert.equal(
        (await write({ method: 'PATCH', url: address(made.json.d.AddressID), body: { CityName: 'Nice' } }))
          .status,
        204,
      )
      assert.equal((await write({ method: 'DELETE', url: address(made.json.d.AddressID) })).status, 204)
      assert.equal((await get(`${partnerService}/A_AddressEmailAddress/$count`)).text, '0')
      assert.equal(
        message(await write({ method: 'DELETE', url: address('22001') })),
        'The standard address of business partner 17100001 cannot be deleted',
      )
      assert.equal(
        message(
          await write({ method: 'POST', url: `${partners}('17100001')/to_BusinessPartnerAddress`, body: {} }),
        ),
        'Enter the country of the address',
      )
    }))

  it('becomes a supplier with the role of one', () =>
    withTwin(async ({ write, get }) => {
      assert.equal((await get(`${partners}('17100001')/to_Supplier`)).status, 404)
      const role = { BusinessPartner: '17100001', BusinessPartnerRole: 'FLVN01' }
      assert.equal(
        (await write({ method: 'POST', url: `${partnerService}/A_BusinessPartnerRole`, body: role })).status,
        201,
      )
      assert.equal(
        (await get(`${partners}('17100001')/to_Supplier`)).json.d.SupplierName,
        'Bluewater Hôtels & Resorts',
      )
      assert.equal(
        message(await write({ method: 'POST', url: `${partnerService}/A_BusinessPartnerRole`, body: role })),
        'Business partner 17100001 already has the role FLVN01',
      )
    }))

  it('keeps tax numbers and identifications as they are given', () =>
    withTwin(async ({ write, get }) => {
      const made = await write({
        method: 'POST',
        url: `${partners}('17100001')/to_BusinessPartnerTax`,
        body: { BPTaxType: 'DE0', BPTaxNumber: 'DE123' },
      })
      assert.equal(made.status, 201)
      assert.equal(
        (
          await write({
            method: 'POST',
            url: `${partners}('17100001')/to_BusinessPartnerTax`,
            body: { BPTaxType: 'DE0' },
          })
        ).status,
        400,
      )
      const url = `${partnerService}/A_BusinessPartnerTaxNumber(BusinessPartner='17100001',BPTaxType='DE0')`
      assert.equal((await write({ method: 'DELETE', url })).status, 204)
      assert.equal((await get(url)).status, 404)
    }))
})

describe('addresses and numbers of a partner', () => {
  const address = (write: Tools['write'], fields: object) =>
    write({
      method: 'POST',
      url: `${partnerService}/A_BusinessPartnerAddress`,
      body: { BusinessPartner: '17100001', ...fields },
    })

  it('have regions and postal codes of their country', () =>
    withTwin(async ({ write }) => {
      refused(await address(write, { Country: 'US', Region: 'QQ' }), '00/058')
      refused(await address(write, { Country: 'US', PostalCode: 'ABC' }), 'AM/216')
      refused(await address(write, { Country: 'DE', PostalCode: '1234' }), 'AM/216')
      const made = done(await address(write, { Country: 'US', Region: 'OH', PostalCode: '43004-1234' }))
      const { AddressID } = made.json.d
      const url = `${partnerService}/A_BusinessPartnerAddress(BusinessPartner='17100001',AddressID='${AddressID}')`
      refused(await write({ method: 'PATCH', url, body: { PostalCode: '4' } }), 'AM/216')
      done(await write({ method: 'PATCH', url, body: { PostalCode: '43004' } }))
      done(await address(write, { Country: 'BR', Region: 'SP', PostalCode: '01000-000' }))
    }))

  it('have an IBAN whose check digits fit, and a kind of tax number that there is', () =>
    withTwin(async ({ write }) => {
      const bank = (IBAN: string) =>
        write({
          method: 'POST',
          url: `${partnerService}/A_BusinessPartnerBank`,
          body: { BusinessPartner: '17100001', BankIdentification: '0001', BankCountryKey: 'DE', IBAN },
        })
      refused(await bank('DE00370400440532013000'), 'AR/115')
      done(await bank('DE89370400440532013000'))
      const url = `${partnerService}/A_BusinessPartnerTaxNumber`
      const body = { BusinessPartner: '17100001', BPTaxType: 'QQ9', BPTaxNumber: '1' }
      refused(await write({ method: 'POST', url, body }), '00/058')
    }))
})
