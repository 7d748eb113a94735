/**
 * Queries that the service refuses: its code, the place of the mistake, and the end of its message, as the notes on the
 * service have them. Texts that nobody has recorded publicly are our own words under the right code.
 */
export const refusals: readonly (readonly [query: string, refusal: string])[] = [
  [
    "SELECT Name FROM Account WHERE Name >= 'cobalt & o''",
    "MALFORMED_QUERY @52 line 1:52 mismatched character '<EOF>' expecting '''",
  ],
  [
    "SELECT Name FROM Account WHERE Description = 'x'",
    "INVALID_FIELD @32 field 'Description' can not be filtered in a query call",
  ],
  [
    'SELECT Name FROM Account ORDER BY Description',
    "INVALID_FIELD @35 field 'Description' can not be sorted in a query call",
  ],
  [
    'SELECT Description, COUNT(Id) FROM Account GROUP BY Description',
    "INVALID_FIELD @53 field 'Description' can not be grouped in a query call",
  ],
  [
    'SELECT AnnualRevenue, COUNT(Id) FROM Account GROUP BY AnnualRevenue',
    "INVALID_FIELD @55 field 'AnnualRevenue' can not be grouped in a query call",
  ],
  [
    "SELECT Name FROM Account WHERE AnnualRevenue = '5'",
    "INVALID_FIELD @32 value of filter criterion for field 'AnnualRevenue' must be of type currency and should not be enclosed in quotes",
  ],
  [
    'SELECT Name FROM Account WHERE Name = 5',
    "INVALID_FIELD @32 value of filter criterion for field 'Name' must be of type string and should be enclosed in quotes",
  ],
  [
    "SELECT CaseNumber FROM Case WHERE CreatedDate = '2026-02-26'",
    "INVALID_FIELD @35 value of filter criterion for field 'CreatedDate' must be of type dateTime and should not be enclosed in quotes",
  ],
  [
    'SELECT CaseNumber FROM Case WHERE CreatedDate > 2026-02-26',
    "INVALID_FIELD @35 value of filter criterion for field 'CreatedDate' must be of type dateTime and should not be enclosed in quotes",
  ],
  [
    'SELECT Name FROM Opportunity WHERE CloseDate > 2026-02-26T00:00:00Z',
    "INVALID_FIELD @36 value of filter criterion for field 'CloseDate' must be of type date and should not be enclosed in quotes",
  ],
  [
    "SELECT CaseNumber FROM Case WHERE IsClosed = 'true'",
    "INVALID_FIELD @35 value of filter criterion for field 'IsClosed' must be of type boolean and should not be enclosed in quotes",
  ],
  [
    'SELECT CaseNumber FROM Case WHERE IsClosed > false',
    'INVALID_QUERY_FILTER_OPERATOR @35 invalid operator on boolean field',
  ],
  ["SELECT Name FROM Account WHERE Id = 'abc'", 'INVALID_QUERY_FILTER_OPERATOR @32 invalid ID field: abc'],
  [
    "SELECT Name FROM Account WHERE Id LIKE '001%'",
    'INVALID_QUERY_FILTER_OPERATOR @32 invalid operator on id field',
  ],
  [
    "SELECT Name FROM Account WHERE AnnualRevenue LIKE '1%'",
    "INVALID_FIELD @32 value of filter criterion for field 'AnnualRevenue' must be of type currency and should not be enclosed in quotes",
  ],
  [
    "SELECT Name FROM Account WHERE Type INCLUDES ('Prospect')",
    'INVALID_QUERY_FILTER_OPERATOR @32 includes or excludes operator only valid on multipicklist field',
  ],
  ['SELECT Foo FROM Account', "INVALID_FIELD @8 No such column 'Foo' on entity 'Account'."],
  ['SELECT Name, Owner.Foo FROM Account', "INVALID_FIELD @20 No such column 'Foo' on entity 'User'."],
  ['SELECT Boss.Name FROM Account', "INVALID_FIELD @8 Didn't understand relationship 'Boss' in field path."],
  [
    "SELECT Name FROM Account WHERE Boss.Name = 'x'",
    "INVALID_FIELD @32 Didn't understand relationship 'Boss' in field path.",
  ],
  [
    'SELECT Name, (SELECT Id FROM Children) FROM Account',
    "INVALID_TYPE @30 Didn't understand relationship 'Children' in FROM part of query call.",
  ],
  ['SELECT Name FROM Accounts', "INVALID_TYPE @18 sObject type 'Accounts' is not supported."],
  ['SELECT Name Title FROM Account', 'MALFORMED_QUERY only aggregate expressions use field aliasing'],
  ['SELECT DISTINCT Name FROM Account', 'MALFORMED_QUERY only aggregate expressions use field aliasing'],
  [
    "SELECT Name FROM Account WHERE Name = 'a' AND Type = 'b' OR Type = 'c'",
    "MALFORMED_QUERY @58 unexpected token: 'OR'",
  ],
  ['SELECT Name, COUNT(Id) FROM Account', 'MALFORMED_QUERY Field must be grouped or aggregated: Name'],
  [
    'SELECT Name, COUNT(Id) FROM Account GROUP BY Type',
    'MALFORMED_QUERY Field must be grouped or aggregated: Name',
  ],
  [
    'SELECT COUNT(Id) FROM Account ORDER BY Name',
    'MALFORMED_QUERY Ordered field must be grouped or aggregated: Name',
  ],
  [
    'SELECT COUNT(Id) FROM Account LIMIT 5',
    'MALFORMED_QUERY Non-grouped query that uses overall aggregate functions cannot also use LIMIT',
  ],
  ['SELECT SUM(Name) FROM Account', 'MALFORMED_QUERY @12 field Name does not support aggregate operator SUM'],
  ['SELECT COUNT(), Name FROM Account', 'MALFORMED_QUERY Grouped query cannot use COUNT() with no arguments'],
  ['SELECT * FROM Account', "MALFORMED_QUERY @8 unexpected token: '*'"],
  ['SELECT Name, FROM Account', "MALFORMED_QUERY @14 unexpected token: 'FROM'"],
  ['SELECT FROM Account', "MALFORMED_QUERY @8 unexpected token: 'FROM'"],
  ['SELECT Name FROM Account WHERE', 'MALFORMED_QUERY @31 unexpected token: <EOF>'],
  ["SELECT Name FROM Account WHERE Name == 'x'", "MALFORMED_QUERY @38 unexpected token: '='"],
  ['SELECT Name FROM Account WHERE Name = "x"', "MALFORMED_QUERY @39 unexpected token: '\"'"],
  [
    "SELECT Name FROM Account WHERE Name = 'x",
    "MALFORMED_QUERY @39 line 1:40 mismatched character '<EOF>' expecting '''",
  ],
  ["SELECT Name FROM Account LIMIT 5 WHERE Name = 'x'", "MALFORMED_QUERY @34 unexpected token: 'WHERE'"],
  ['SELECT Name FROM Account;', "MALFORMED_QUERY @25 unexpected token: ';'"],
  ['SELECT Name FROM Account WHERE Name = :name', 'MALFORMED_QUERY Bind variables only allowed in Apex code'],
  ['SELECT Name FROM Account ALL ROWS', 'MALFORMED_QUERY ALL ROWS not allowed in this context'],
  ['SELECT Name FROM Account LIMIT x', "MALFORMED_QUERY @32 unexpected token: 'x'"],
  ['SELECT Name FROM Account OFFSET 2001', 'NUMBER_OUTSIDE_VALID_RANGE Maximum SOQL offset allowed is 2000'],
  [
    'SELECT FIELDS(ALL) FROM Account',
    'MALFORMED_QUERY The SOQL FIELDS function must have a LIMIT of at most 200',
  ],
  [
    'SELECT FIELDS(ALL) FROM Account LIMIT 201',
    'MALFORMED_QUERY The SOQL FIELDS function must have a LIMIT of at most 200',
  ],
  ['SELECT FIELDS(SOME) FROM Account LIMIT 1', 'MALFORMED_QUERY @8 Invalid argument to FIELDS function'],
  ['SELECT Name, Name FROM Account', 'INVALID_FIELD @14 duplicate field selected: Name'],
  [
    'SELECT Name FROM Account WHERE Id IN (SELECT AccountId, Id FROM Contact)',
    'MALFORMED_QUERY semi join sub-selects must select exactly one field',
  ],
  [
    'SELECT Name FROM Account WHERE Name IN (SELECT Name FROM Contact)',
    "INVALID_FIELD @32 The left operand field in the where expression for outer query should be an ID field, cannot use: 'Name'",
  ],
  [
    'SELECT Name FROM Account WHERE Id IN (SELECT ContactId FROM Case)',
    "MALFORMED_QUERY @32 The selected field 'ContactId' in the subquery and the left operand field in the where expression in the outer query 'Id' should point to the same object type",
  ],
  [
    "SELECT Name FROM Account WHERE Type = 'x' OR Id IN (SELECT AccountId FROM Contact)",
    "MALFORMED_QUERY Semi join sub-selects are not allowed with the 'OR' operator",
  ],
  [
    'SELECT Name FROM Account WHERE NOT Id IN (SELECT AccountId FROM Contact)',
    "MALFORMED_QUERY Semi join sub-selects are not allowed with the 'NOT' operator",
  ],
  [
    "SELECT Name FROM Account WHERE Type = 'x' AND (Type = 'y' OR Id IN (SELECT AccountId FROM Contact))",
    'MALFORMED_QUERY Semi join sub-selects are only allowed at the top level WHERE expressions and not in nested WHERE expressions.',
  ],
  [
    'SELECT Name, (SELECT Id FROM Contacts WHERE Id IN (SELECT ContactId FROM Case)) FROM Account',
    'MALFORMED_QUERY Semi join sub-selects are only allowed at the top level WHERE expressions and not in nested WHERE expressions.',
  ],
  [
    'SELECT Name FROM Account WHERE Id IN (SELECT AccountId FROM Contact) AND Id IN (SELECT AccountId FROM Case) AND Id IN (SELECT AccountId FROM Opportunity)',
    'MALFORMED_QUERY Maximum 2 semi join sub-selects are allowed',
  ],
  [
    'SELECT Name FROM Contact WHERE AccountId IN (SELECT AccountId FROM Opportunity WHERE CampaignId IN (SELECT Id FROM Campaign))',
    'MALFORMED_QUERY Nesting of semi join sub-selects is not supported',
  ],
  [
    'SELECT Name FROM Account WHERE Id IN (SELECT ParentId FROM Account)',
    'MALFORMED_QUERY The inner and outer selects should not be on the same object type',
  ],
  [
    'SELECT Name FROM Account WHERE Id IN (SELECT AccountId FROM Task)',
    "MALFORMED_QUERY Entity 'Task' is not supported for semi join inner selects",
  ],
  [
    'SELECT Name FROM Account WHERE Id IN (SELECT Account.Id FROM Contact)',
    "MALFORMED_QUERY The inner select field 'Account.Id' cannot have more than one level of relationships",
  ],
  [
    'SELECT Name FROM Account WHERE Id IN (SELECT AccountId FROM Contact ORDER BY Name)',
    'MALFORMED_QUERY semi join sub-selects cannot use ORDER BY or FOR',
  ],
  [
    'SELECT Name FROM Account WHERE Id IN (SELECT AccountId FROM Contact LIMIT 1)',
    'MALFORMED_QUERY semi join sub-selects cannot use LIMIT, OFFSET or GROUP BY',
  ],
  [
    'SELECT TYPEOF Owner WHEN User THEN Email END FROM Account',
    "INVALID_FIELD @15 TYPEOF can only be used with polymorphic relationships, and 'Owner' is none",
  ],
  ["UPDATE Account SET Name = 'x'", "MALFORMED_QUERY @1 unexpected token: 'UPDATE'"],
  ['SELECT Name FROM Account GROUP BY', 'MALFORMED_QUERY @34 unexpected token: <EOF>'],
  ['SELECT Name FROM Account HAVING COUNT(Id) > 1', 'MALFORMED_QUERY HAVING requires GROUP BY'],
]
