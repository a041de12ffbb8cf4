import { describe, expect, it } from 'vitest';
import type { FakeMessage, FakeUser } from '../fakes/slack/index.ts';
import { repliesTo, withSlackBot, type Place } from './support.ts';

const bot = withSlackBot();

type Json = Readonly<Record<string, unknown>>;

const plain = (text: string): Json => ({ type: 'plain_text', text });
const mrkdwn = (text: string): Json => ({ type: 'mrkdwn', text });
const rich = (text: string): Json => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
});

const watched = async (): Promise<Place & { readonly app: FakeUser }> => {
  const at = bot.place();
  await bot.use(at, 'autotranslate reply languages:es bots:true');
  return { ...at, app: at.workspace.user({ name: 'tracker', isBot: true }) };
};

const reply = async (said: FakeMessage): Promise<FakeMessage> => {
  await bot.slack.until(() => repliesTo(said).length > 0);
  const [first] = repliesTo(said);
  if (!first) throw new Error('there is no reply');
  return first;
};

/** All texts that readers see of a message, whatever message of ours they stand in. */
const shown = (said: FakeMessage): string =>
  repliesTo(said)
    .map(({ words }) => words)
    .join('\n');

describe('messages of other apps', () => {
  it.each<[string, Json, readonly string[]]>([
    ['header', { text: plain('Nightly build') }, ['Nightly build']],
    [
      'section',
      { text: mrkdwn('The *build* failed'), fields: [mrkdwn('Branch: main'), plain('Run: 12')] },
      ['The ', 'build', ' failed', 'Branch: main', 'Run: 12'],
    ],
    [
      'context',
      {
        elements: [
          { type: 'image', alt_text: 'logo', image_url: 'https://e.org' },
          mrkdwn('by Ann'),
        ],
      },
      ['by Ann'],
    ],
    [
      'markdown',
      { text: '## Report\n\nIt is **all** [done](https://example.com)' },
      ['Report', 'all', 'done'],
    ],
    [
      'table',
      {
        rows: [
          [
            { type: 'raw_text', text: 'Name' },
            { type: 'raw_text', text: 'Cost' },
          ],
          [rich('the apples'), { type: 'raw_number', value: 3, text: '3 €' }],
        ],
      },
      ['Name', ' | ', 'Cost', 'the apples', '3 €'],
    ],
    [
      'data_table',
      { caption: 'All sales', rows: [[{ type: 'raw_text', text: 'Region' }]] },
      ['All sales', 'Region'],
    ],
    [
      'card',
      {
        title: mrkdwn('A ticket'),
        subtitle: mrkdwn('is open'),
        body: mrkdwn('since Monday'),
        actions: [{ type: 'button', text: plain('Close'), action_id: 'close' }],
      },
      ['A ticket', 'is open', 'since Monday'],
    ],
    [
      'carousel',
      {
        elements: [
          { type: 'card', title: mrkdwn('First') },
          { type: 'card', title: mrkdwn('Second') },
        ],
      },
      ['First', 'Second'],
    ],
    [
      'container',
      { title: plain('Summary'), child_blocks: [{ type: 'section', text: plain('of the day') }] },
      ['Summary', 'of the day'],
    ],
    ['alert', { text: plain('The disk is full'), level: 'error' }, ['The disk is full']],
    [
      'plan',
      {
        title: 'The plan',
        tasks: [
          {
            type: 'task_card',
            task_id: '1',
            title: 'Wash',
            output: rich('all is clean'),
            status: 'complete',
          },
        ],
      },
      ['The plan', 'Wash', 'all is clean'],
    ],
    [
      'image',
      { image_url: 'https://example.com/a.png', alt_text: 'a cat on a roof' },
      ['a cat on a roof', 'https://example.com/a.png'],
    ],
  ])(
    'have the words of a block of type %s translated, and no controls',
    async (type, block, words) => {
      const { channel, app } = await watched();
      const actions = {
        type: 'actions',
        elements: [{ type: 'button', text: plain('Press me'), action_id: 'press' }],
      };
      const said = channel.say(app, {
        text: 'what old apps show',
        blocks: [{ type, ...block }, actions],
      });
      const json = JSON.stringify((await reply(said)).blocks);
      for (const word of words) expect(json).toContain(word);
      expect(json).not.toMatch(/"button"|Press me|Close|##|\*\*|what old apps show/);
    },
  );

  it('that are attachments alone are translated, with their fields', async () => {
    const { channel, app } = await watched();
    const said = channel.say(app, {
      text: '',
      attachments: [
        {
          fallback: 'plain words',
          pretext: 'New ticket',
          author_name: 'Help desk',
          title: 'The printer is broken',
          title_link: 'https://example.com/1',
          text: 'It does *not* print',
          fields: [{ title: 'Priority', value: 'High', short: true }],
          footer: 'from the tracker',
          actions: [{ type: 'button', text: 'Take it' }],
          ts: 1_700_000_000,
        },
        {
          fallback: 'odd',
          title: null,
          fields: [{ title: 5 }],
          text: 'what others ought not write',
        },
      ],
    });
    const json = JSON.stringify((await reply(said)).blocks);
    for (const word of [
      'New ticket',
      'Help desk',
      'The printer is broken',
      'https://example.com/1',
      'print',
      'Priority',
      'High',
      'from the tracker',
      'what others ought not write',
    ])
      expect(json).toContain(word);
    expect(json).not.toMatch(/Take it|plain words/);
  });

  it('that share a message quote it with its author, who is not notified', async () => {
    const { channel, ann, bob } = await watched();
    const said = channel.say(ann, {
      text: 'Look at what he said',
      attachments: [
        {
          is_share: true,
          is_msg_unfurl: true,
          author_id: bob.id,
          author_name: 'Bob',
          from_url: 'https://t.slack.com/archives/C1/p1',
          fallback: 'no words',
          message_blocks: [
            {
              team: 'T1',
              channel: 'C1',
              ts: '1.0',
              message: { blocks: [rich('I bought a boat')] },
            },
          ],
        },
        {
          is_msg_unfurl: true,
          from_url: 'https://t.slack.com/archives/C1/p2',
          text: 'only a preview',
        },
      ],
    });
    const json = JSON.stringify((await reply(said)).blocks);
    expect(json).toContain('rich_text_quote');
    for (const word of ['Look at what he said', '@Bob', 'I bought a boat'])
      expect(json).toContain(word);
    expect(json).not.toMatch(/only a preview|no words/);
  });

  it('with 50 blocks are translated whole', async () => {
    const { channel, app } = await watched();
    const blocks = Array.from({ length: 50 }, (_, index) =>
      index % 2 === 0
        ? { type: 'section', text: mrkdwn(`the section with the number ${index}`) }
        : { type: 'context', elements: [mrkdwn(`the context with the number ${index}`)] },
    );
    const said = channel.say(app, { text: 'old', blocks });
    await reply(said);
    for (let index = 0; index < 50; index += 1)
      await bot.slack.until(() => new RegExp(`the number ${index}(?!\\d)`).test(shown(said)));
  });

  it('make no work when Slack changes what nobody reads', async () => {
    const { channel, app, ann } = await watched();
    const said = channel.say(app, {
      text: 'see',
      blocks: [
        { type: 'section', text: mrkdwn('The report is on <https://example.com|our page>') },
      ],
    });
    await reply(said);
    const [asked, written] = [bot.translations().length, bot.slack.requests.length];
    said.touch();
    said.unfurl({ from_url: 'https://example.com', title: 'A page', text: 'of words' });
    said.unfurl({
      is_app_unfurl: true,
      app_unfurl_url: 'https://example.com',
      blocks: [rich('x')],
    });
    await bot.slack.events.settled();
    const next = channel.say(ann, 'Thank you very much for that');
    await reply(next);
    expect(bot.translations()).toHaveLength(asked + 1);
    expect(
      bot.slack.requests.slice(written).filter(({ method }) => method === 'chat.update'),
    ).toEqual([]);
  });

  it('are left alone where the channel does not want them', async () => {
    const at = bot.place();
    await bot.use(at, 'autotranslate reply languages:es');
    const app = at.workspace.user({ name: 'tracker', isBot: true });
    const said = at.channel.say(app, { text: 'The build number twelve failed' });
    const next = at.channel.say(at.ann, 'Did you see that it failed?');
    await reply(next);
    expect(repliesTo(said)).toEqual([]);
  });
});
