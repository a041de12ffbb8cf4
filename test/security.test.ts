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
      const titles = readFileSync(path, 'utf8').matchAll(/(['`])((?:(?!\1).)+)\1\s*[,:]/g);
      expect(
        [...titles].map(([, , title = '']) => title).filter((title) => title.includes(name)),
        path,
      ).not.toEqual([]);
    }
  });
});
