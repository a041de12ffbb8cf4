import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface NamedTest {
  readonly path: string;
  readonly name: string;
}

/** The rows of the threat tables, without their heads. */
const rows = readFileSync('SECURITY.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:Threat |-)/.test(line))
  .map((line) => {
    const [, threat = '', answer = '', proof = ''] = line
      .split(' | ')
      .flatMap((cell, at) =>
        at === 0 ? ['', cell.slice(2).trim()] : [cell.replace(/\s*\|$/, '').trim()],
      );
    const tests = [...proof.matchAll(/\]\((?<path>[^)]+)\) "(?<name>[^"]+)"/g)];
    return { threat, answer, tests: tests.map(({ groups }) => groups as unknown as NamedTest) };
  });

/** The title of a test that runs: what is before it is no `skip` and no `todo`. */
const TITLE =
  /^ *(?:it|test)(?:\.(?:each|for)(?:<.+?>)?\((?:(?!^ *(?:it|test)\b)[^])*?\))?\(\s*(['`])(?<title>(?:(?!\1).)+)\1,/gm;
/** The name of a test of a contract, which is run for each implementation. */
const CONTRACT_TITLE = /^ {2}'(?<title>[^']+)':/gm;
const LEFT_OUT = /\b(?:describe|it|test)(?:\.\w+)*\.(?:skip|todo)\b/;

const titlesIn = (text: string, pattern = TITLE): readonly string[] =>
  [...text.matchAll(pattern)].map(({ groups }) => groups?.['title'] ?? '');

describe('the titles of tests', () => {
  it.each([
    "it('that runs', () => {",
    "  test(\n    'that runs',\n    async () => {",
    "  it.each([1, f(2)] as const)('that runs', () => {",
    "  it.each<[string, () => Promise<string>]>([1])('that runs', () => {",
    "it.for([\n  ['a', () => {}],\n])(\n  'that runs',\n",
  ])('are found: %s', (text) => expect(titlesIn(text)).toEqual(['that runs']));

  it.each([
    ...['skip', 'todo'].flatMap((left) => [
      `it.${left}('that is left out', () => {`,
      `  it.${left}.each([1])('that is left out', () => {`,
      `it.each([1]).${left}('that is left out', () => {`,
    ]),
    "const text = ['that is left out', 'and more'];",
    "describe('that is left out', () => {",
  ])('are not found where nothing runs: %s', (text) => expect(titlesIn(text)).toEqual([]));
});

describe('the threats', () => {
  it('cover what a program like this one meets', () => {
    const text = rows.map(({ threat, answer }) => `${threat} ${answer}`).join('\n');
    for (const topic of ['metadata', 'rebinding', 'pings', 'script', 'model', 'Slack', 'CSRF'])
      expect(text).toContain(topic);
    for (const topic of ['WebSocket', 'stolen', 'log', 'audio', 'unpacks', 'account', 'container'])
      expect(text).toContain(topic);
  });

  it.each(rows)('$threat: is answered, with a test that is there', ({ answer, tests }) => {
    expect(answer).not.toBe('');
    expect(tests).not.toEqual([]);
    for (const { path, name } of tests) {
      expect(path).toMatch(/^test\//);
      const text = readFileSync(path, 'utf8');
      expect(text, path).not.toMatch(LEFT_OUT);
      const titles = titlesIn(text, path.startsWith('test/contracts/') ? CONTRACT_TITLE : TITLE);
      expect(titles.join('\n'), path).toContain(name);
    }
  });
});
