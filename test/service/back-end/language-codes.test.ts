import { expect, it } from 'vitest';
import { findListed } from '../../../service/back-end/language-codes.ts';

const DEEPL = [
  'EN-GB',
  'EN-US',
  'PT-BR',
  'PT-PT',
  'ES',
  'ES-419',
  'ZH',
  'ZH-HANS',
  'ZH-HANT',
  'NB',
];

it.each([
  [DEEPL, 'en', 'EN-US'],
  [DEEPL, 'en-GB', 'EN-GB'],
  [DEEPL, 'pt', 'PT-BR'],
  [DEEPL, 'pt-PT', 'PT-PT'],
  [DEEPL, 'pt-AO', 'PT-BR'],
  [DEEPL, 'es-MX', 'ES'],
  [DEEPL, 'zh', 'ZH'],
  [DEEPL, 'zh-TW', 'ZH-HANT'],
  [DEEPL, 'no', 'NB'],
  [DEEPL, 'nn', 'NB'],
  [DEEPL, 'fr', undefined],
  [DEEPL, 'not a code', undefined],
  [['en', 'pt', 'pb', 'zh', 'zt'], 'pt-BR', 'pb'],
  [['en', 'pt', 'pb', 'zh', 'zt'], 'pt', 'pt'],
  [['en', 'pt', 'pb', 'zh', 'zt'], 'zh-Hant', 'zt'],
  [['en', 'pt', 'pb', 'zh', 'zt'], 'zh', 'zh'],
  [['en', 'zh'], 'zh-Hant', undefined],
  [[], 'en', undefined],
])('of %j, %s is %s', (listed, wanted, code) => {
  expect(findListed(listed, wanted)).toBe(code);
});
