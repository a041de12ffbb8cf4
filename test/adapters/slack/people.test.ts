import { describe, expect, it } from 'vitest';
import { createPeople, openDirectChannel } from '../../../adapters/slack/people.ts';
import { spaceOf } from '../../../adapters/slack/ids.ts';
import { readMember } from '../../../adapters/slack/interactions/invocations.ts';

const SPACE = spaceOf('T1');

/** An API whose every reply is successful and empty. */
const empty = { call: async () => ({ ok: true }) } as never;

describe('a reply of Slack that leaves out what was asked for', () => {
  it('makes nobody', async () => {
    const people = createPeople(empty, { ownerOf: () => SPACE }, () => 0);
    await expect(people.of(SPACE, 'U1')).rejects.toMatchObject({ code: 'bad-reply' });
  });

  it('opens no conversation', async () => {
    await expect(openDirectChannel(empty, SPACE, 'U1')).rejects.toMatchObject({
      code: 'bad-reply',
    });
  });
});

describe('the name of a person', () => {
  it.each([
    [{ display_name: 'Eve\u202Enimda\u0007', real_name: 'Eve' }, 'Eve nimda'],
    [{ display_name: '\u200F\u202E', real_name: 'Eve' }, 'Eve'],
  ])('has no direction and control characters: %j', async (profile, shown) => {
    const reply = { ok: true, user: { id: 'U1', team_id: 'T1', profile } };
    const api = { call: async () => reply } as never;
    const people = createPeople(api, { ownerOf: () => SPACE }, () => 0);
    expect((await people.of(SPACE, 'U1')).name).toBe(shown);
  });
});

it('the time zone of a person comes with what they use', async () => {
  const user = { id: 'U1', team_id: 'T1', name: 'eve', tz: 'Asia/Tokyo' };
  const api = { call: async () => ({ ok: true, user }) } as never;
  const people = createPeople(api, { ownerOf: () => SPACE }, () => 0);
  expect(await readMember(people, SPACE, 'U1')).toMatchObject({ timeZone: 'Asia/Tokyo' });
});

it('the names of a workspace are read in few requests, however many people left it', async () => {
  let pages = 0;
  const call = async () => {
    pages += 1;
    if (pages > 100) throw new Error('too many requests');
    const members = Array.from({ length: 500 }, () => ({ id: 'U1', deleted: true }));
    return { ok: true, members, response_metadata: { next_cursor: 'more' } };
  };
  const people = createPeople({ call } as never, { ownerOf: () => SPACE }, () => 0);
  expect(await people.names(SPACE)).toBeUndefined();
  expect(pages).toBe(10);
});
