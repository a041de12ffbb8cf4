import { expect, test } from 'vitest';
import { renderStreamed } from '../../../../adapters/slack/interactions/streamed-answer.ts';
import { codeBlock, link, mention, paragraph, text } from '../../../../src/rich-text/rich-text.ts';
import { hiddenText } from '../../../fakes/hidden-text.ts';
import { mrkdwnPings } from '../../../fakes/read-pings.ts';

const HOSTILE =
  'Ask <@U1>, <!channel>, <!subteam^S1> or @channel, @Everyone, @here, @heretic and a@b.';

test('what is streamed notifies nobody, and each state begins as the next', () => {
  const states = Array.from({ length: HOSTILE.length + 1 }, (_, chars) =>
    renderStreamed([paragraph(text(HOSTILE.slice(0, chars)))], true),
  );
  for (const [at, state] of states.entries()) {
    expect(mrkdwnPings(state)).toEqual([]);
    expect(state.startsWith(states[at - 1] ?? '')).toBe(true);
  }
  const whole = renderStreamed([paragraph(text(HOSTILE))], false);
  expect(whole).toBe(states.at(-1));
  expect(whole.replaceAll(/[\\\u2060]/g, '')).toBe(HOSTILE);
});

test('a name at the end is left out only as long as the text grows', () => {
  const tree = [paragraph(text('Hello @ann'))];
  expect(renderStreamed(tree, true)).toBe('Hello ');
  expect(renderStreamed(tree, false)).toBe('Hello @ann');
});

test('addresses lead where they led', () => {
  const url = 'https://example.org/@channel/!here?a=@everyone';
  const written = renderStreamed(
    [paragraph(link(url), text(' '), link(url, text('@here')))],
    false,
  );
  expect(mrkdwnPings(written)).toEqual([]);
  expect(decodeURIComponent(written).split(url)).toHaveLength(3);
});

test('code and names of mentions notify nobody, and spoilers are hidden', () => {
  const tree = [
    codeBlock('<!channel> @everyone'),
    paragraph(mention('slack', 'broadcast', 'here'), mention('slack', 'member', 'U1', 'channel')),
    ...hiddenText(1),
  ];
  const written = renderStreamed(tree, false);
  expect(mrkdwnPings(written)).toEqual([]);
  expect(written).not.toContain('secret');
});
