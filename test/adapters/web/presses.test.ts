import { describe, expect, test } from 'vitest';
import { startWeb, type StartedWeb, type Visitor } from './start-web.ts';
import { sentence } from '../../fakes/sentences.ts';

const openPanel = async (visitor: Visitor, command = 'panel') => {
  const events = await visitor.events();
  await visitor.post('/api/uses', { channel: 'playground', command, options: {} });
  const answer = await events.message(({ working, html }) => !working && html !== '');
  return { events, answer };
};

const press = (visitor: Visitor, id: string, name: string, values?: readonly string[]) =>
  visitor.post('/api/presses', { id, press: `panel ${name}`, ...(values ? { values } : {}) });

const setUp = async (): Promise<StartedWeb & { visitor: Visitor }> => {
  const web = await startWeb();
  return { ...web, visitor: web.visit() };
};

describe('what stands under an answer', () => {
  test('is shown, but for what the page has none of', async () => {
    const { visitor } = await setUp();
    const { answer } = await openPanel(visitor);
    expect(answer.controls?.map(({ kind, label }) => [kind, label])).toEqual([
      ['button', 'Go'],
      ['button', 'Drop'],
      ['button', 'Leave'],
      ['choice', 'Colour'],
      ['choice', 'Sizes'],
    ]);
  });

  test('does what it says when it is pressed, in place of what was shown', async () => {
    const { core, visitor, visit } = await setUp();
    const { events, answer } = await openPanel(visitor);
    const other = visit();
    const reply = await press(other, answer.id, 'go');
    expect(reply.status).toBe(202);
    await events.message(({ id, working }) => id === answer.id && working);
    const anew = await events.message(({ id, working }) => id === answer.id && !working);
    expect(anew.html).toContain('panel go');
    expect(core.presses).toMatchObject([
      {
        press: 'panel go',
        values: [],
        member: { platform: 'web' },
        channel: { space: { platform: 'web' }, id: 'playground' },
      },
    ]);
  });

  test('takes what is chosen', async () => {
    const { core, visitor } = await setUp();
    const { events, answer } = await openPanel(visitor);
    await press(visitor, answer.id, 'colour', ['green']);
    const anew = await events.message(({ html }) => html.includes('green'));
    const colour = anew.controls?.find(({ label }) => label === 'Colour');
    expect(colour?.kind === 'choice' && colour.choices.map(({ chosen }) => chosen)).toEqual([
      false,
      true,
    ]);
    await press(visitor, answer.id, 'sizes', []);
    await press(visitor, answer.id, 'sizes', ['small', 'large']);
    await expect
      .poll(() => core.presses.map(({ values }) => values))
      .toEqual([['green'], [], ['small', 'large']]);
  });

  test.each([
    ['is not there', 'nothing', []],
    ['is for roles', 'roles', ['r']],
    ['takes no choice', 'go', ['x']],
    ['offers no such choice', 'colour', ['blue']],
    ['takes one choice, not two', 'colour', ['red', 'green']],
    ['takes one choice, not none', 'colour', []],
    ['takes a choice once', 'sizes', ['small', 'small']],
  ])('is refused where it %s', async (_, name, values) => {
    const { core, visitor } = await setUp();
    const { answer } = await openPanel(visitor);
    const reply = await press(visitor, answer.id, name, values);
    expect(reply.status).toBe(404);
    expect(await reply.json()).toMatchObject({
      error: sentence('errors.unknown-press'),
    });
    expect(core.presses).toEqual([]);
  });

  test('is for those who see it', async () => {
    const { core, visitor, visit } = await setUp();
    const { answer } = await openPanel(visitor, 'own');
    expect((await press(visit(), answer.id, 'go')).status).toBe(404);
    expect(core.presses).toEqual([]);
    expect((await press(visitor, answer.id, 'go')).status).toBe(202);
  });

  test('answers the presser alone where it is to, beside what everybody sees', async () => {
    const { visitor, visit } = await setUp();
    const other = visit();
    const seenByOther = await other.events();
    const { events, answer } = await openPanel(visitor, 'notice');
    const choose = (by: Visitor, id: string, name: string) =>
      by.post('/api/presses', { id, press: `notice choose:${name}` });
    await choose(visitor, answer.id, 'me');
    const beside = await events.message(({ html, working }) => html.includes('me') && !working);
    expect(beside).toMatchObject({ onlyYou: true, replyTo: answer.id });
    // Under what is the presser's own already, it takes the place of that.
    await choose(visitor, beside.id, 'again');
    const anew = await events.message(({ html, working }) => html.includes('again') && !working);
    expect(anew).toMatchObject({ id: beside.id, onlyYou: true });
    await choose(other, answer.id, 'me');
    const own = await seenByOther.message(({ html }) => html.includes('notice choose'));
    expect(own.id).not.toBe(beside.id);
    expect(own.replyTo).toBe(answer.id);
  });

  test('tells the presser alone what is shown aside, and stays for all others', async () => {
    const { core, visitor, visit } = await setUp();
    core.refused.add('panel go');
    const other = visit();
    const { events, answer } = await openPanel(visitor);
    const seenByPresser = await other.events();
    await press(other, answer.id, 'go');
    const aside = await seenByPresser.message(({ html }) => html.includes('not you'));
    expect(aside).toMatchObject({ onlyYou: true, replyTo: answer.id, working: false });
    await events.message(({ id, working }) => id === answer.id && working);
    const stays = await events.message(({ id, working }) => id === answer.id && !working);
    expect(stays).toMatchObject({ html: answer.html, controls: answer.controls });
  });

  test('is not pressed twice at once, and can be stopped', async () => {
    const { core, visitor } = await setUp();
    const { events, answer } = await openPanel(visitor);
    await press(visitor, answer.id, 'drop');
    expect((await press(visitor, answer.id, 'go')).status).toBe(429);
    expect(core.presses).toHaveLength(1);
    core.step();
    await events.message(({ html, working }) => html.includes('panel drop') && !working);
    await press(visitor, answer.id, 'drop');
    await visitor.post('/api/stop', { id: answer.id });
    await expect.poll(() => core.presses.at(-1)?.signal.aborted).toBe(true);
  });

  test.each([
    { id: 'x', press: 'y'.repeat(101) },
    { id: 'x', press: 'y', values: 'z' },
    { press: 'y' },
  ])('takes no other shape: %j', async (body) => {
    const { visitor } = await setUp();
    expect((await visitor.post('/api/presses', body)).status).toBe(400);
  });

  test('is out of reach for other sites', async () => {
    const { visitor } = await setUp();
    const { answer } = await openPanel(visitor);
    const body = { id: answer.id, press: 'panel go' };
    const reply = await visitor.post('/api/presses', body, { 'sec-fetch-site': 'cross-site' });
    expect(reply.status).toBe(403);
  });
});
