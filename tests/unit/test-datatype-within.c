/* SPDX-License-Identifier: Apache-2.0 */
/* Which versions are in a range, and which type takes all values of another one. */
#include "config.h"

#include "datatype-fixture.h"

#include "base/text.h"
#include "datatype/match.h"
#include "datatype/semver.h"

#include <string.h>

/* clang-format off */
static const char *const versions[] = {
    "0.0.0", "0.0.3", "0.0.4", "0.1.0", "0.2.3", "0.2.4", "0.3.0", "1.0.0-rc.1", "1.0.0-rc.2",
    "1.0.0-rc.10", "1.0.0-rc.2.1", "1.0.0-1", "1.0.0-alpha", "1.0.0", "1.0.1", "1.1.0", "1.2.2",
    "1.2.3", "1.2.4", "1.3.0", "1.9.9", "2.0.0-rc.1", "2.0.0", "2.3.0", "2.3.1", "2.4.0", "3.0.0",
    "4.0.0",
};

/* A range, and those of the versions that are in it. */
static const char *const ranges[][2] = {
    { "1.2.3",
      "1.2.3" },
    { "=1.2.3",
      "1.2.3" },
    { "1.2",
      "1.2.2 1.2.3 1.2.4" },
    { "1",
      "1.0.0 1.0.1 1.1.0 1.2.2 1.2.3 1.2.4 1.3.0 1.9.9" },
    { "1.x",
      "1.0.0 1.0.1 1.1.0 1.2.2 1.2.3 1.2.4 1.3.0 1.9.9" },
    { "1.2.x",
      "1.2.2 1.2.3 1.2.4" },
    { "1.2.*",
      "1.2.2 1.2.3 1.2.4" },
    { "x",
      "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.4 0.3.0 1.0.0-rc.1 1.0.0-rc.2 1.0.0-rc.10 1.0.0-rc.2.1 "
      "1.0.0-1 1.0.0-alpha 1.0.0 1.0.1 1.1.0 1.2.2 1.2.3 1.2.4 1.3.0 1.9.9 2.0.0-rc.1 2.0.0 "
      "2.3.0 2.3.1 2.4.0 3.0.0 4.0.0" },
    { "*",
      "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.4 0.3.0 1.0.0-rc.1 1.0.0-rc.2 1.0.0-rc.10 1.0.0-rc.2.1 "
      "1.0.0-1 1.0.0-alpha 1.0.0 1.0.1 1.1.0 1.2.2 1.2.3 1.2.4 1.3.0 1.9.9 2.0.0-rc.1 2.0.0 "
      "2.3.0 2.3.1 2.4.0 3.0.0 4.0.0" },
    { ">1.2.3",
      "1.2.4 1.3.0 1.9.9 2.0.0 2.3.0 2.3.1 2.4.0 3.0.0 4.0.0" },
    { ">1.2",
      "1.3.0 1.9.9 2.0.0 2.3.0 2.3.1 2.4.0 3.0.0 4.0.0" },
    { ">1",
      "2.0.0 2.3.0 2.3.1 2.4.0 3.0.0 4.0.0" },
    { ">=1.2.3",
      "1.2.3 1.2.4 1.3.0 1.9.9 2.0.0 2.3.0 2.3.1 2.4.0 3.0.0 4.0.0" },
    { ">=1.2",
      "1.2.2 1.2.3 1.2.4 1.3.0 1.9.9 2.0.0 2.3.0 2.3.1 2.4.0 3.0.0 4.0.0" },
    { ">=1",
      "1.0.0 1.0.1 1.1.0 1.2.2 1.2.3 1.2.4 1.3.0 1.9.9 2.0.0 2.3.0 2.3.1 2.4.0 3.0.0 4.0.0" },
    { "<1.2.3",
      "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.4 0.3.0 1.0.0 1.0.1 1.1.0 1.2.2" },
    { "<1.2",
      "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.4 0.3.0 1.0.0 1.0.1 1.1.0" },
    { "<1",
      "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.4 0.3.0" },
    { "<=1.2.3",
      "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.4 0.3.0 1.0.0 1.0.1 1.1.0 1.2.2 1.2.3" },
    { "<=1.2",
      "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.4 0.3.0 1.0.0 1.0.1 1.1.0 1.2.2 1.2.3 1.2.4" },
    { "<=1",
      "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.4 0.3.0 1.0.0 1.0.1 1.1.0 1.2.2 1.2.3 1.2.4 1.3.0 1.9.9" },
    { "~1.2.3",
      "1.2.3 1.2.4" },
    { "~1.2",
      "1.2.2 1.2.3 1.2.4" },
    { "~1",
      "1.0.0 1.0.1 1.1.0 1.2.2 1.2.3 1.2.4 1.3.0 1.9.9" },
    { "~>1.2.3",
      "1.2.3 1.2.4" },
    { "^1.2.3",
      "1.2.3 1.2.4 1.3.0 1.9.9" },
    { "^0.2.3",
      "0.2.3 0.2.4" },
    { "^0.0.3",
      "0.0.3 0.0.4" },
    { "^0.0",
      "0.0.0 0.0.3 0.0.4" },
    { "^0",
      "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.4 0.3.0" },
    { "^1",
      "1.0.0 1.0.1 1.1.0 1.2.2 1.2.3 1.2.4 1.3.0 1.9.9" },
    { "^0.x",
      "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.4 0.3.0" },
    { "1.0.0 - 2.0.0",
      "1.0.0 1.0.1 1.1.0 1.2.2 1.2.3 1.2.4 1.3.0 1.9.9 2.0.0" },
    { "1.2 - 2.3",
      "1.2.2 1.2.3 1.2.4 1.3.0 1.9.9 2.0.0 2.3.0" },
    { "1 - 2",
      "1.0.0 1.0.1 1.1.0 1.2.2 1.2.3 1.2.4 1.3.0 1.9.9 2.0.0" },
    { "<1.0.0 || >=3.0.0",
      "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.4 0.3.0 3.0.0 4.0.0" },
    { ">=1.0.0 <2.0.0",
      "1.0.0 1.0.1 1.1.0 1.2.2 1.2.3 1.2.4 1.3.0 1.9.9" },
    { ">=1.0.0-rc.2",
      "1.0.0-rc.2 1.0.0-rc.10 1.0.0-rc.2.1 1.0.0 1.0.1 1.1.0 1.2.2 1.2.3 1.2.4 1.3.0 1.9.9 2.0.0 "
      "2.3.0 2.3.1 2.4.0 3.0.0 4.0.0" },
    { "<=1.0.0-rc.2",
      "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.4 0.3.0 1.0.0-rc.1 1.0.0-rc.2 1.0.0-1 1.0.0-alpha" },
    { ">1.0.0-rc.2",
      "1.0.0-rc.10 1.0.0-rc.2.1 1.0.0 1.0.1 1.1.0 1.2.2 1.2.3 1.2.4 1.3.0 1.9.9 2.0.0 2.3.0 "
      "2.3.1 2.4.0 3.0.0 4.0.0" },
    { "1.0.0-rc.2",
      "1.0.0-rc.2" },
    { ">=1.0.0 <1.0.0",
      "" },
    { ">x",
      "" },
    { "<x",
      "" },
    { ">=x",
      "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.4 0.3.0 1.0.0 1.0.1 1.1.0 1.2.2 1.2.3 1.2.4 1.3.0 1.9.9 "
      "2.0.0 2.3.0 2.3.1 2.4.0 3.0.0 4.0.0" },
    { "<=x",
      "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.4 0.3.0 1.0.0 1.0.1 1.1.0 1.2.2 1.2.3 1.2.4 1.3.0 1.9.9 "
      "2.0.0 2.3.0 2.3.1 2.4.0 3.0.0 4.0.0" },
    { "~x",
      "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.4 0.3.0 1.0.0-rc.1 1.0.0-rc.2 1.0.0-rc.10 1.0.0-rc.2.1 "
      "1.0.0-1 1.0.0-alpha 1.0.0 1.0.1 1.1.0 1.2.2 1.2.3 1.2.4 1.3.0 1.9.9 2.0.0-rc.1 2.0.0 "
      "2.3.0 2.3.1 2.4.0 3.0.0 4.0.0" },
    { "^x",
      "0.0.0 0.0.3 0.0.4 0.1.0 0.2.3 0.2.4 0.3.0 1.0.0-rc.1 1.0.0-rc.2 1.0.0-rc.10 1.0.0-rc.2.1 "
      "1.0.0-1 1.0.0-alpha 1.0.0 1.0.1 1.1.0 1.2.2 1.2.3 1.2.4 1.3.0 1.9.9 2.0.0-rc.1 2.0.0 "
      "2.3.0 2.3.1 2.4.0 3.0.0 4.0.0" },
    { ">1.0.0 <=1.2",
      "1.0.1 1.1.0 1.2.2 1.2.3 1.2.4" },
    { ">= 1.2",
      "1.2.2 1.2.3 1.2.4 1.3.0 1.9.9 2.0.0 2.3.0 2.3.1 2.4.0 3.0.0 4.0.0" },
    { "  1.2.3  ",
      "1.2.3" },
    { "1.2.3-0",
      "" },
    { "1.2.3+b",
      "1.2.3" },
    { "999999999999999999.0.0",
      "" },
    { "99999999999999999.0.0",
      "" },
    { ">1.0.0-rc.1 <1.0.0",
      "1.0.0-rc.2 1.0.0-rc.10 1.0.0-rc.2.1" },
    { "^1.0.0-rc.1",
      "1.0.0-rc.1 1.0.0-rc.2 1.0.0-rc.10 1.0.0-rc.2.1 1.0.0 1.0.1 1.1.0 1.2.2 1.2.3 1.2.4 1.3.0 "
      "1.9.9" },
    { "~1.0.0-rc.1",
      "1.0.0-rc.1 1.0.0-rc.2 1.0.0-rc.10 1.0.0-rc.2.1 1.0.0 1.0.1" },
};

static const char *const no_ranges[] = {
    "", "1.2.3 ||", "|| 1", "1.2.3 <", "01.2.3", "1.2.3.4", "1.2.3-", "1.2.3-01", "a", "1..2",
    "1000000000000000000", "1.2.1000000000000000000", "1.1000000000000000000 - 2",
};

static const char *const types[] = {
    "Any", "Undef", "Default", "String", "String[1]", "String[1,2]", "String[2,5]", "Enum[a,bc]",
    "Enum[a]", "Enum['A','a',true]", "Enum['a',true]", "Pattern[/a/]", "Pattern[/a/,/b/]",
    "Pattern", "Regexp", "Regexp[/a/]", "Integer", "Integer[1,5]", "Integer[2,3]", "Integer[5,9]",
    "Float", "Float[1.0,2.0]", "Float[0.5,3.0]", "Numeric", "Boolean", "Boolean[true]", "Scalar",
    "ScalarData", "Data", "RichData", "Array", "Array[String]", "Array[Integer]",
    "Array[String,1,2]", "Array[Integer[1,5],2,2]", "Tuple", "Tuple[Integer,Integer]",
    "Tuple[Integer[2,3],Integer]", "Tuple[Integer,1,3]", "Tuple[Integer,String]",
    "Tuple[Integer,0,0]", "Hash", "Hash[String,Integer]", "Hash[String,Integer,1,2]", "Struct",
    "Struct[{a=>Integer}]", "Struct[{Optional[a]=>Integer}]", "Struct[{a=>Integer,b=>String}]",
    "Struct[{a=>Optional[Integer]}]", "Collection", "Collection[1,2]", "Optional[String]",
    "NotUndef", "NotUndef[String]", "Variant", "Variant[String,Integer]",
    "Variant[String,Integer,Undef]", "Variant[Enum[a],Integer[2,3]]", "Sensitive",
    "Sensitive[String]", "Type", "Type[Integer]", "SemVer", "SemVer['1.x']",
    "SemVer['>=1.2.0 <1.5.0']", "SemVer['<1.0.0 || >=3.0.0']", "SemVerRange", "Timestamp",
    "Timestamp['2020-01-01','2020-02-01']", "Timestamp['2020-01-05','2020-01-06']", "Timespan",
    "Timespan[1,5]", "Timespan[2,3]", "URI", "URI['http://a']", "URI[{scheme=>'http'}]", "Binary",
    "Iterable", "Iterable[Integer]", "Iterator[Integer]", "Callable", "Array[Array[Integer]]",
    "Array[Any,0,0]", "Hash[Any,Any,0,0]",
};

/* A type, and those of the types, other than itself, whose values it takes. */
static const char *const assignable[][2] = {
    { "Undef",
      "" },
    { "Default",
      "" },
    { "String",
      "String[1]; String[1,2]; String[2,5]; Enum[a,bc]; Enum[a]; Enum['A','a',true]; "
      "Enum['a',true]; Pattern[/a/]; Pattern[/a/,/b/]; Pattern; NotUndef[String]" },
    { "String[1]",
      "String[1,2]; String[2,5]; Enum[a,bc]; Enum[a]; Enum['A','a',true]; Enum['a',true]" },
    { "String[1,2]",
      "Enum[a,bc]; Enum[a]; Enum['A','a',true]; Enum['a',true]" },
    { "String[2,5]",
      "" },
    { "Enum[a,bc]",
      "Enum[a]" },
    { "Enum[a]",
      "" },
    { "Enum['A','a',true]",
      "Enum[a]; Enum['a',true]" },
    { "Enum['a',true]",
      "Enum[a]; Enum['A','a',true]" },
    { "Pattern[/a/]",
      "Enum[a]; Enum['a',true]" },
    { "Pattern[/a/,/b/]",
      "Enum[a,bc]; Enum[a]; Enum['a',true]" },
    { "Pattern",
      "String; String[1]; String[1,2]; String[2,5]; Enum[a,bc]; Enum[a]; Enum['A','a',true]; "
      "Enum['a',true]; Pattern[/a/]; Pattern[/a/,/b/]; NotUndef[String]" },
    { "Regexp",
      "Regexp[/a/]" },
    { "Regexp[/a/]",
      "" },
    { "Integer",
      "Integer[1,5]; Integer[2,3]; Integer[5,9]" },
    { "Integer[1,5]",
      "Integer[2,3]" },
    { "Integer[2,3]",
      "" },
    { "Integer[5,9]",
      "" },
    { "Float",
      "Float[1.0,2.0]; Float[0.5,3.0]" },
    { "Float[1.0,2.0]",
      "" },
    { "Float[0.5,3.0]",
      "Float[1.0,2.0]" },
    { "Numeric",
      "Integer; Integer[1,5]; Integer[2,3]; Integer[5,9]; Float; Float[1.0,2.0]; Float[0.5,3.0]" },
    { "Boolean",
      "Boolean[true]" },
    { "Boolean[true]",
      "" },
    { "Scalar",
      "String; String[1]; String[1,2]; String[2,5]; Enum[a,bc]; Enum[a]; Enum['A','a',true]; "
      "Enum['a',true]; Pattern[/a/]; Pattern[/a/,/b/]; Pattern; Regexp; Regexp[/a/]; Integer; "
      "Integer[1,5]; Integer[2,3]; Integer[5,9]; Float; Float[1.0,2.0]; Float[0.5,3.0]; Numeric; "
      "Boolean; Boolean[true]; ScalarData; NotUndef[String]; Variant[String,Integer]; "
      "Variant[Enum[a],Integer[2,3]]; SemVer; SemVer['1.x']; SemVer['>=1.2.0 <1.5.0']; "
      "SemVer['<1.0.0 || >=3.0.0']; SemVerRange; Timestamp; "
      "Timestamp['2020-01-01','2020-02-01']; Timestamp['2020-01-05','2020-01-06']; Timespan; "
      "Timespan[1,5]; Timespan[2,3]" },
    { "ScalarData",
      "String; String[1]; String[1,2]; String[2,5]; Enum[a,bc]; Enum[a]; Enum['A','a',true]; "
      "Enum['a',true]; Pattern[/a/]; Pattern[/a/,/b/]; Pattern; Integer; Integer[1,5]; "
      "Integer[2,3]; Integer[5,9]; Float; Float[1.0,2.0]; Float[0.5,3.0]; Numeric; Boolean; "
      "Boolean[true]; NotUndef[String]; Variant[String,Integer]; Variant[Enum[a],Integer[2,3]]" },
    { "Data",
      "Undef; String; String[1]; String[1,2]; String[2,5]; Enum[a,bc]; Enum[a]; "
      "Enum['A','a',true]; Enum['a',true]; Pattern[/a/]; Pattern[/a/,/b/]; Pattern; Integer; "
      "Integer[1,5]; Integer[2,3]; Integer[5,9]; Float; Float[1.0,2.0]; Float[0.5,3.0]; Numeric; "
      "Boolean; Boolean[true]; ScalarData; Array[String]; Array[Integer]; Array[String,1,2]; "
      "Array[Integer[1,5],2,2]; Tuple; Tuple[Integer,Integer]; Tuple[Integer[2,3],Integer]; "
      "Tuple[Integer,1,3]; Tuple[Integer,String]; Tuple[Integer,0,0]; Hash[String,Integer]; "
      "Hash[String,Integer,1,2]; Struct; Struct[{a=>Integer}]; Struct[{Optional[a]=>Integer}]; "
      "Struct[{a=>Integer,b=>String}]; Struct[{a=>Optional[Integer]}]; Optional[String]; "
      "NotUndef[String]; Variant[String,Integer]; Variant[String,Integer,Undef]; "
      "Variant[Enum[a],Integer[2,3]]; Array[Array[Integer]]; Array[Any,0,0]; Hash[Any,Any,0,0]" },
    { "Array",
      "Array[String]; Array[Integer]; Array[String,1,2]; Array[Integer[1,5],2,2]; Tuple; "
      "Tuple[Integer,Integer]; Tuple[Integer[2,3],Integer]; Tuple[Integer,1,3]; "
      "Tuple[Integer,String]; Tuple[Integer,0,0]; Array[Array[Integer]]; Array[Any,0,0]" },
    { "Array[String]",
      "Array[String,1,2]; Tuple; Array[Any,0,0]" },
    { "Array[Integer]",
      "Array[Integer[1,5],2,2]; Tuple; Tuple[Integer,Integer]; Tuple[Integer[2,3],Integer]; "
      "Tuple[Integer,1,3]; Tuple[Integer,0,0]; Array[Any,0,0]" },
    { "Array[String,1,2]",
      "" },
    { "Array[Integer[1,5],2,2]",
      "" },
    { "Tuple",
      "Array; Array[String]; Array[Integer]; Array[String,1,2]; Array[Integer[1,5],2,2]; "
      "Tuple[Integer,Integer]; Tuple[Integer[2,3],Integer]; Tuple[Integer,1,3]; "
      "Tuple[Integer,String]; Tuple[Integer,0,0]; Array[Array[Integer]]; Array[Any,0,0]" },
    { "Tuple[Integer,Integer]",
      "Array[Integer[1,5],2,2]; Tuple[Integer[2,3],Integer]" },
    { "Tuple[Integer[2,3],Integer]",
      "" },
    { "Tuple[Integer,1,3]",
      "Array[Integer[1,5],2,2]; Tuple[Integer,Integer]; Tuple[Integer[2,3],Integer]" },
    { "Tuple[Integer,String]",
      "" },
    { "Tuple[Integer,0,0]",
      "Array[Any,0,0]" },
    { "Hash",
      "Hash[String,Integer]; Hash[String,Integer,1,2]; Struct; Struct[{a=>Integer}]; "
      "Struct[{Optional[a]=>Integer}]; Struct[{a=>Integer,b=>String}]; "
      "Struct[{a=>Optional[Integer]}]; Hash[Any,Any,0,0]" },
    { "Hash[String,Integer]",
      "Hash[String,Integer,1,2]; Struct; Struct[{a=>Integer}]; Struct[{Optional[a]=>Integer}]; "
      "Hash[Any,Any,0,0]" },
    { "Hash[String,Integer,1,2]",
      "Struct[{a=>Integer}]; Struct[{Optional[a]=>Integer}]" },
    { "Struct",
      "Hash[Any,Any,0,0]" },
    { "Struct[{a=>Integer}]",
      "" },
    { "Struct[{Optional[a]=>Integer}]",
      "Struct; Struct[{a=>Integer}]; Hash[Any,Any,0,0]" },
    { "Struct[{a=>Integer,b=>String}]",
      "" },
    { "Struct[{a=>Optional[Integer]}]",
      "Struct; Struct[{a=>Integer}]; Struct[{Optional[a]=>Integer}]; Hash[Any,Any,0,0]" },
    { "Collection",
      "Array; Array[String]; Array[Integer]; Array[String,1,2]; Array[Integer[1,5],2,2]; Tuple; "
      "Tuple[Integer,Integer]; Tuple[Integer[2,3],Integer]; Tuple[Integer,1,3]; "
      "Tuple[Integer,String]; Tuple[Integer,0,0]; Hash; Hash[String,Integer]; "
      "Hash[String,Integer,1,2]; Struct; Struct[{a=>Integer}]; Struct[{Optional[a]=>Integer}]; "
      "Struct[{a=>Integer,b=>String}]; Struct[{a=>Optional[Integer]}]; Collection[1,2]; "
      "Array[Array[Integer]]; Array[Any,0,0]; Hash[Any,Any,0,0]" },
    { "Collection[1,2]",
      "Array[String,1,2]; Array[Integer[1,5],2,2]; Tuple[Integer,Integer]; "
      "Tuple[Integer[2,3],Integer]; Tuple[Integer,String]; Hash[String,Integer,1,2]; "
      "Struct[{a=>Integer}]; Struct[{Optional[a]=>Integer}]; Struct[{a=>Integer,b=>String}]; "
      "Struct[{a=>Optional[Integer]}]" },
    { "Optional[String]",
      "Undef; String; String[1]; String[1,2]; String[2,5]; Enum[a,bc]; Enum[a]; "
      "Enum['A','a',true]; Enum['a',true]; Pattern[/a/]; Pattern[/a/,/b/]; Pattern; "
      "NotUndef[String]" },
    { "NotUndef[String]",
      "String; String[1]; String[1,2]; String[2,5]; Enum[a,bc]; Enum[a]; Enum['A','a',true]; "
      "Enum['a',true]; Pattern[/a/]; Pattern[/a/,/b/]; Pattern" },
    { "Variant",
      "" },
    { "Variant[String,Integer]",
      "String; String[1]; String[1,2]; String[2,5]; Enum[a,bc]; Enum[a]; Enum['A','a',true]; "
      "Enum['a',true]; Pattern[/a/]; Pattern[/a/,/b/]; Pattern; Integer; Integer[1,5]; "
      "Integer[2,3]; Integer[5,9]; NotUndef[String]; Variant[Enum[a],Integer[2,3]]" },
    { "Variant[String,Integer,Undef]",
      "Undef; String; String[1]; String[1,2]; String[2,5]; Enum[a,bc]; Enum[a]; "
      "Enum['A','a',true]; Enum['a',true]; Pattern[/a/]; Pattern[/a/,/b/]; Pattern; Integer; "
      "Integer[1,5]; Integer[2,3]; Integer[5,9]; Optional[String]; NotUndef[String]; "
      "Variant[String,Integer]; Variant[Enum[a],Integer[2,3]]" },
    { "Variant[Enum[a],Integer[2,3]]",
      "Enum[a]; Integer[2,3]" },
    { "Sensitive",
      "Sensitive[String]" },
    { "Sensitive[String]",
      "" },
    { "Type",
      "Type[Integer]" },
    { "Type[Integer]",
      "" },
    { "SemVer",
      "SemVer['1.x']; SemVer['>=1.2.0 <1.5.0']; SemVer['<1.0.0 || >=3.0.0']" },
    { "SemVer['1.x']",
      "SemVer['>=1.2.0 <1.5.0']" },
    { "SemVer['>=1.2.0 <1.5.0']",
      "" },
    { "SemVer['<1.0.0 || >=3.0.0']",
      "" },
    { "SemVerRange",
      "" },
    { "Timestamp",
      "Timestamp['2020-01-01','2020-02-01']; Timestamp['2020-01-05','2020-01-06']" },
    { "Timestamp['2020-01-01','2020-02-01']",
      "Timestamp['2020-01-05','2020-01-06']" },
    { "Timestamp['2020-01-05','2020-01-06']",
      "" },
    { "Timespan",
      "Timespan[1,5]; Timespan[2,3]" },
    { "Timespan[1,5]",
      "Timespan[2,3]" },
    { "Timespan[2,3]",
      "" },
    { "URI",
      "URI['http://a']; URI[{scheme=>'http'}]" },
    { "URI['http://a']",
      "" },
    { "URI[{scheme=>'http'}]",
      "" },
    { "Binary",
      "" },
    { "Iterable[Integer]",
      "Integer; Integer[1,5]; Integer[2,3]; Integer[5,9]; Array[Integer]; "
      "Array[Integer[1,5],2,2]; Tuple[Integer,Integer]; Tuple[Integer[2,3],Integer]; "
      "Tuple[Integer,1,3]; Tuple[Integer,0,0]" },
    { "Iterator[Integer]",
      "" },
    { "Callable",
      "" },
    { "Array[Array[Integer]]",
      "Tuple; Array[Any,0,0]" },
    { "Array[Any,0,0]",
      "Tuple; Tuple[Integer,0,0]" },
    { "Hash[Any,Any,0,0]",
      "Struct" },
};
/* clang-format on */

static void
a_range_has_its_versions_and_no_others(void **state)
{
    static const char *const no_versions[] = { "", "1.2", "1.2.03", "1.2.1000000000000000000" };
    struct rh_semver_range range;
    struct rh_semver largest;

    (void)state;
    assert_true(rh_semver_parse("1.2.999999999999999999", 22, &largest));
    assert_int_equal(largest.number[2], 999999999999999999);
    for (size_t i = 0; i < sizeof no_versions / sizeof *no_versions; i++)
        if (rh_semver_parse(no_versions[i], strlen(no_versions[i]), &largest))
            fail_msg("'%s' is accepted", no_versions[i]);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        rh_autobuf struct rh_buf has = { 0 };

        if (!rh_semver_range_parse(arena, ranges[i][0], &range))
            fail_msg("'%s' is refused", ranges[i][0]);
        for (size_t k = 0; k < sizeof versions / sizeof *versions; k++) {
            struct rh_semver v;

            assert_true(rh_semver_parse(versions[k], strlen(versions[k]), &v));
            if (rh_semver_range_has(&range, &v))
                rh_buf_addf(&has, "%s%s", has.n ? " " : "", versions[k]);
        }
        if (strcmp(rh_buf_text(&has), ranges[i][1]) != 0)
            fail_msg("'%s' has %s", ranges[i][0], rh_buf_text(&has));
    }
    for (size_t i = 0; i < sizeof no_ranges / sizeof *no_ranges; i++)
        if (rh_semver_range_parse(arena, no_ranges[i], &range))
            fail_msg("'%s' is accepted", no_ranges[i]);
}

static void
a_type_takes_all_values_of_those_within_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof assignable / sizeof *assignable; i++) {
        rh_autobuf struct rh_buf from = { 0 };
        const struct rh_datatype *to = type(assignable[i][0]);

        assert_true(rh_assignable(to, to));
        for (size_t k = 0; k < sizeof types / sizeof *types; k++)
            if (strcmp(types[k], assignable[i][0]) != 0 && rh_assignable(to, type(types[k])))
                rh_buf_addf(&from, "%s%s", from.n ? "; " : "", types[k]);
        if (strcmp(rh_buf_text(&from), assignable[i][1]) != 0)
            fail_msg("%s takes %s", assignable[i][0], rh_buf_text(&from));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(a_range_has_its_versions_and_no_others),
        ARENA_TEST(a_type_takes_all_values_of_those_within_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
