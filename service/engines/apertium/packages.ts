import { languagesOfCode } from './modes.ts';

/** Packages of Debian and Ubuntu that translate in both directions. */
const BOTH_WAYS = `
  afr-nld arg-cat bel-rus cat-ita dan-nor en-gl eng-cat eng-spa eo-en es-gl es-pt fr-es fra-cat
  hbs-mkd hbs-slv ind-zlm mkd-bul nno-nob oc-ca oc-es oci-fra por-cat pt-gl rus-ukr spa-arg
  spa-ast spa-cat spa-ita srd-ita swe-dan swe-nor urd-hin
`
  .trim()
  .split(/\s+/);

/** Packages that translate in one direction only, with that direction. */
const ONE_WAY: Readonly<Record<string, readonly [from: string, to: string]>> = {
  'br-fr': ['br', 'fr'],
  'cat-srd': ['ca', 'sc'],
  'eo-ca': ['ca', 'eo'],
  'eo-es': ['es', 'eo'],
  'eo-fr': ['fr', 'eo'],
  'es-ro': ['ro', 'es'],
  'eu-en': ['eu', 'en'],
  'eu-es': ['eu', 'es'],
  'fra-frp': ['fr', 'frp'],
  'hbs-eng': ['sr', 'en'],
  'isl-eng': ['is', 'en'],
  'isl-swe': ['is', 'sv'],
  'mkd-eng': ['mk', 'en'],
  'pol-szl': ['pl', 'szl'],
};

const matches = (code: string, language: string): boolean =>
  languagesOfCode(code).includes(language) ||
  (code === 'nor' && ['no', 'nb', 'nn'].includes(language)) ||
  (code === 'sr' && ['hr', 'bs', 'sh'].includes(language));

/** Finds the Debian package that translates this pair (BCP 47), if there is one. */
export const findPackage = (from: string, to: string): string | undefined => {
  const [source = from, target = to] = [from, to].map(
    (code) => (languagesOfCode(code)[0] ?? code).split('-')[0] ?? code,
  );
  const pair =
    BOTH_WAYS.find((name) => {
      const [a = '', b = ''] = name.split('-');
      return (
        (matches(a, source) && matches(b, target)) || (matches(b, source) && matches(a, target))
      );
    }) ??
    Object.entries(ONE_WAY).find(([, [a, b]]) => matches(a, source) && matches(b, target))?.[0];
  return pair === undefined ? undefined : `apertium-${pair}`;
};
