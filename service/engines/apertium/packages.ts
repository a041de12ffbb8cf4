import { languagesOfCode } from './modes.ts';

/** Packages of Debian and Ubuntu that translate in both directions. */
const BOTH_WAYS = `
  afr-nld arg-cat bel-rus cat-ita dan-nor en-gl eng-cat eng-spa eo-en es-gl es-pt fr-es fra-cat
  hbs-mkd hbs-slv ind-zlm mkd-bul nno-nob oc-ca oc-es oci-fra por-cat pt-gl rus-ukr spa-arg
  spa-ast spa-cat spa-ita srd-ita swe-dan swe-nor urd-hin`;
/** Packages that translate from the first language of their name to the second. */
const FORWARDS = 'br-fr cat-srd eu-en eu-es fra-frp hbs-eng isl-eng isl-swe mkd-eng pol-szl';
/** Packages that translate from the second language of their name to the first. */
const BACKWARDS = 'eo-ca eo-es eo-fr es-ro';

const pairsOf = (...names: string[]): string[][] =>
  names.flatMap((list) => list.trim().split(/\s+/)).map((name) => name.split('-'));
const forwards = pairsOf(BOTH_WAYS, FORWARDS);
const backwards = pairsOf(BOTH_WAYS, BACKWARDS);

const matches = (code: string, language: string): boolean =>
  languagesOfCode(code).includes(language) ||
  (code === 'nor' && ['no', 'nb', 'nn'].includes(language));

/** Finds the Debian package that translates this pair (BCP 47), if there is one. */
export const findPackage = (from: string, to: string): string | undefined => {
  const [source = from, target = to] = [from, to].map(
    (code) => (languagesOfCode(code)[0] ?? code).split('-')[0] ?? code,
  );
  const pair =
    forwards.find(([a = '', b = '']) => matches(a, source) && matches(b, target)) ??
    backwards.find(([a = '', b = '']) => matches(b, source) && matches(a, target));
  return pair && `apertium-${pair.join('-')}`;
};
