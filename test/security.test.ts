import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const [, section = ''] = readFileSync('SECURITY.md', 'utf8').split('\n## Threats\n');
const [list = ''] = section.split('\n## ');

/** The items of the list: a threat in bold, its answer, and the files that test it. */
const threats = list
  .split(/^- (?=\*\*)/m)
  .slice(1)
  .map((item) => {
    const [, threat = '', answer = ''] = /^\*\*([^*]+)\*\*\s+([^]*?)\n {2}- /.exec(item) ?? [];
    const tests = [...item.matchAll(/\]\((test\/[^)]+)\)/g)].map(([, path = '']) => path);
    return { threat, answer, tests };
  });

describe('the threats', () => {
  it('are listed', () => expect(threats.length).toBeGreaterThan(30));

  it.each(threats)('$threat has an answer, and files that test it', ({ answer, tests }) => {
    expect(answer).not.toBe('');
    expect(tests).not.toEqual([]);
    expect(tests.filter((path) => !existsSync(path))).toEqual([]);
  });
});
