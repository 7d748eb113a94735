/**
 * The key that signs id tokens. It is no secret: every copy of the service signs with it, so that copies of a world after
 * the same calls give the same tokens. Clients fetch its public half, as that of the real service.
 */
export const openIdKey = {
  kid: 'acfeefb155f5297519c88957f0945940caf07cd2',
  kty: 'RSA',
  n: [
    'rpyguQr-rPnB-Xo6sLEFZzLdXIiC2XHBu_RY9uMZdOu58fZMCVk7Gi_ec_tUlcaohNSzSnR689BP9KPi-nZVsjP9Lo',
    '3HIlhnX1usDi3AniVAL1v0iog6xowhim5kv7UQCmWKknDhG3UStFZTIqXLzmyQ7Q0K1K9zp-DnjXVk31aP6hIlIXlk',
    '6Wc8TxCdSp4MJ8HgS9ZuVntZDrCnVFBsBlBXM4odhhxGdO6MYNvnlb7Bq2B7PHCXCkFX41NKSw0QzsteNqHUgRkIJ5',
    '7N7HoSAupme_o27O-XjbhmgKUWSiXNT62TXHVXAtOovtlwGxgwPKJRFzV3P_UjTOnADESIXw',
  ].join(''),
  e: 'AQAB',
  d: [
    'R5-q08x9Q_HdDdsD6Qdr6nV0VKkQV2ZwrAriVT85aXrqFqTLcsg91JOPIa8V9qv64yWmd6OI7arkqTpyd_-DTmpB78',
    '8rQFzX5kchr903lgc8qVCEYjDYPyoq9fArdnGsZz9YlJIl3E_tALkqN9ufWoiw9_OyHiTsAZBhGubtHijjvIIu3Zor',
    '1ekP2PCZSNnQeVwgiJs0GTy3kx5iea0tjJV4xJRdrJfW2NzbIxNTnGSIXZkN7js90pTuv8cGCu4TejZjyC4bTljVL0',
    'bj-0lBhU5EggknN0eJ3rLpMTr-P6j5UeE8MqFUO7nFfEWhlDyyZQDaAYs_CSTCVxprAtNGZQ',
  ].join(''),
  p: [
    '1xkUNnessUr5N7dcRCM0FWrKVJMenVci_MQf8d6LqbQYq-IQMn7c0-biSoXHXVxfli9bm2TDDYJxOC9UniSoPikRL_',
    'zdUmIk7D0l8cAhfE1ohEhR6GcxhUE1abfKpubFO-adJoySb83TGpVfJ5H0iIw3bzc07ZBA5-jF8pykdVU',
  ].join(''),
  q: [
    'z9CxVfmKGol-nSs6uCZ-d-VaTK11rYBVvR3-XUllIyIrWkv3SPLTZ90MUbPcRGeaq-BDSsg-jUKrW4FMA7zNcoP10p',
    'wVVZBHn_IIWCBuO3R1UeN1Z4Bvju2JcLSuk9XyBXaBV6YNSA390MKa7LFwCrr7GO7LJs0lZw9STAzuhuM',
  ].join(''),
  dp: [
    'kHKkE0vc6hbqNBNr38owUO2tQIyn84uv0EU5GqmT6vwp0Uv4CqENVTRo5Rjf4H-HJYlaIInTP0BJHi0SyzzcyxmzFC',
    'Hg01FbcFZEJAwdsKcfOC6E6uhZ5h37a6pkah7xdx-Qi3G9aV20ldaX1y_6IrTfCU3uula0b8jvHdU50B0',
  ].join(''),
  dq: [
    'i9RvTlsuyrZTRGuvAfOcyw2-2bMpaEne5vZEjf5xl9dI9mQBCsug5dT9kggEoN5ZW2b1wF7GgAQpCtQQEr-6OWCDSm',
    'gNjtoa54tShAGmSkkNG8GB4NexuKkp_nUEtqKRS422cARiEWagrxQSbErkCcRQajFa7kvA6_yKMnPNF2M',
  ].join(''),
  qi: [
    'vF6vHiOiXzuo5mBXi0rhVatTgThp9X-kCyqsjdoIOWoICIuS7sEZY0J4m1ekxnhb37UQXkRnaA1L1SS0nzkQU9NTGn',
    'eDuCkdSjJWzhAHyfdOSY9XAomII073svrYZybwSn7TKoOhyvMDdhLAjWF8_KQpFlBeKPhiT3TE9gWqz0M',
  ].join(''),
}
