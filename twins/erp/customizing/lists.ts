/** Check tables of the standard configuration: the codes that the system knows, by the name of the real table. */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** ISO 3166, as delivered. */
const countries = words(`
  AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC
  CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD
  GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH
  KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW
  MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC
  SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY
  UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW`)

/** ISO 4217. */
const currencies = words(`
  AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLF
  CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF
  IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK
  MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR
  SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED
  VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWG`)

export const checkTables = {
  /** Countries. */
  T005: countries,
  /** Currencies. */
  TCURC: currencies,
  /** Languages. */
  T002: words(
    'AR BG CS DA DE EL EN ES ET FI FR HE HR HU IT JA KO LT LV NL NO PL PT RO RU SH SK SL SV TH TR UK VI ZH ZF',
  ),
  /** Roles of business partners. */
  TB003: words(`
    000000 BUP001 BUP002 BUP003 BUP004 BUP005 BBP000 BBP001 CRM000 CRM005 CRM010 FLCU00 FLCU01 FLVN00 FLVN01 MKK UKM000
    TR0100 TR0150 TR0151 WFM001`),
  /** Groupings of business partners; they choose the number range. */
  TB001: words('BP01 BP02 BP03 BP04 BPAB BPEE BPEX INTE EXTE'),
  /** Functions of partners in documents. */
  TPAR: words('SP SH BP PY CP ER VE SE CR FA SB VN OA PI GS 1A 1B 1C 1D'),
  /** Reasons for rejecting an item. */
  TVAG: words('00 01 02 03 04 05 10 11 20 50 51 52 53 54 55 56 57 60 61 ZZ'),
  /** Delivery blocks. */
  TVLS: words('01 02 03 04 05 06 07 08 09 10'),
  /** Billing blocks. */
  TVFS: words('01 02 03 04 05 08 09 10 14 15'),
  /** Order blocks of customers. */
  TVAST: words('01 02 03 04 05'),
  /** Reasons for an order. */
  TVAU: words('001 002 003 004 005 006 007 008 009 010 050 100 101 102 103 104 105 200 301 302'),
  /** Terms of payment. */
  T052: words('0001 0002 0003 0004 0005 0006 0007 0008 0009 NT00 NT10 NT15 NT30 NT45 NT60 NT90'),
  /** Incoterms. */
  TINC: words('CFR CIF CIP CPT DAF DAP DAT DDP DDU DEQ DES DPU EXW FAS FCA FH FOB UN'),
  /** Shipping conditions. */
  TVSB: words('01 02 03 04 05 10 20 99'),
  /** Shipping types. */
  T173: words('01 02 03 04 05 06 07'),
  /** Groups of customers. */
  T151: words('01 02 03 04 05 06 07 08 09 10 11 12'),
  /** Material types. */
  T134: words('FERT HAWA HALB ROH HIBE VERP DIEN NLAG UNBW LEIH SERV'),
  /** Groups of materials. */
  T023: words('01 02 03 L001 L002 L003 L004 P001 P002 T001 A001'),
  /** Industry sectors of materials. */
  T137: words('A C M P 1'),
  /** Item category groups of materials. */
  TPTM: words('NORM BANS LEIS LUMF ERLA DIEN VERP 0001 0002'),
  /** Groups of availability checks. */
  TMVF: words('01 02 03 KP SR'),
  /** Purchasing groups. */
  T024: words('000 001 002 003 004'),
  /** Tax codes. */
  T007A: words('A0 A1 I0 I1 O0 O1 V0 V1 XI XO'),
  /** Reasons for blocking a payment. */
  T008: words('A B R V'),
  /** Categories of sales items. */
  TVPT: words(`
    TAN TANN TAS TAB TAD TAX TAP TAQ TAC TAE TAM TAG TATX AGN AGNN AGX REN RENN BVN KBN KEN KAN KRN CBAN CBXN CBEN G2N
    L2N CTAN`),
  /** Kinds of tax numbers. */
  TFKTAXNUMTYPE: words(`
    AT0 AT1 AU0 AU1 BE0 BE1 BG0 BR1 BR2 BR3 BR4 CA1 CA2 CH0 CH1 CN0 CN1 CY0 CZ0 CZ1 CZ2 DE0 DE1 DE2 DE3 DE4 DK0 DK1 EE0 ES0
    ES1 FI0 FI1 FR0 FR1 FR2 GB0 GB1 GB2 GR0 GR1 HR0 HU0 HU1 IE0 IE1 IN1 IN2 IN3 IN4 IT0 IT1 IT2 JP1 JP2 KR1 KR2 LT0 LU0 LV0
    MT0 MX1 MX2 NL0 NL1 NO0 NO1 PL0 PL1 PT0 PT1 RO0 RO1 SE0 SE1 SG0 SG1 SI0 SK0 US1 US2 US3 US4 US5 ZA0 ZA1`),
  /** Reasons for a reversal. */
  T041C: words('01 02 03 04 05'),
  /** Account assignment categories. */
  T163K: words('A C F K P U X'),
} as const

export type CheckTable = keyof typeof checkTables
