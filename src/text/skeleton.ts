/** Letters of other scripts that look like Latin ones, and what people write in place of letters (Unicode TR39, the most abused). */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      ['ааӓɑα', 'a'],
      ['ьвβʙ', 'b'],
      ['сϲ', 'c'],
      ['ԁ', 'd'],
      ['еёҽєε', 'e'],
      ['ɡց', 'g'],
      ['һнн', 'h'],
      ['іїıɩι!|1ӏ', 'l'],
      ['јϳ', 'j'],
      ['кκҡ', 'k'],
      ['мϻ', 'm'],
      ['пηո', 'n'],
      ['оοσօ0', 'o'],
      ['рρ', 'p'],
      ['ԛզ', 'q'],
      ['гᴦ', 'r'],
      ['ѕꜱ5$', 's'],
      ['тτ', 't'],
      ['υцս', 'u'],
      ['ѵν', 'v'],
      ['ѡωԝ', 'w'],
      ['хχ', 'x'],
      ['уγү', 'y'],
      ['ᴢ', 'z'],
    ].flatMap(([all = '', as = '']) => Array.from(all, (each) => [each, as])),
  ),
  i: 'l',
};

/**
 * A name as it looks, for comparison: without case, width, accents, invisible characters and spaces, with letters of
 * other scripts as the Latin ones that they look like.
 */
export const skeletonOf = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[\p{M}\p{Cf}\p{Z}\p{P}\p{Cc}]/gu, '')
    .replaceAll(/[^a-hj-z]/gu, (each) => LOOK_ALIKES[each] ?? each)
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w');
