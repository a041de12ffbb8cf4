import { describe, expect, it } from 'vitest';
import { BOB, useCommandHarness, useCoreHarness } from './support.ts';
import { sentence, sentenceLike } from '../fakes/sentences.ts';

const { harness, last } = useCoreHarness();
const commands = useCommandHarness();

describe('/help', () => {
  it('lists every command, in the person’s language', async () => {
    const { text } = await last('help', {}, { locale: 'ja' });
    for (const { name } of harness().core.commands('ja', 'test')) {
      const [command = '', action] = name.split(' ');
      expect(text).toContain(`\`/${command}\``);
      if (action) expect(text).toContain(`\`${action}\``);
    }
    expect(text).toContain(sentence('commands.translate.summary', {}, 'ja'));
  });

  it('puts together what is for one purpose, in the order of the names', async () => {
    const { text } = await last('help');
    expect(text.split('\n\n').map((part) => part.match(/(?<=^\*\*).*(?=\*\*)|\/\w+/gm))).toEqual([
      [sentence('help.topics.translation'), '/glossary', '/language', '/translate'],
      [sentence('help.topics.speech'), '/say', '/transcribe', '/voice', '/voices'],
      [sentence('help.topics.server'), '/status', '/usage'],
      [sentence('help.topics.privacy'), '/privacy'],
      [sentence('help.topics.more'), '/ask', '/help'],
      ['/help'],
    ]);
    expect(text).toContain(
      `- \`/glossary\` \`add\` \`export\` \`import\` \`list\` \`proposals\` \`propose\` \`remove\` · ${sentence('commands.glossary.summary')}`,
    );
  });

  it('names the action that a command runs alone only once', async () => {
    const { text } = await commands().run('help');
    expect(text).toContain('`/autotranslate` `add`');
    expect(text).not.toContain('`panel`');
  });

  it('names the entries of a message’s menu, where there is one', async () => {
    const names = ['translate', 'say', 'why', 'catchup'] as const;
    const { text } = await commands().run('help');
    for (const name of names) expect(text).toContain(sentence(`commands.${name}.menu`));
    expect((await last('help')).text).not.toContain(sentence('commands.why.menu'));
  });

  it('leaves out what the person may not use', async () => {
    const { text } = await last('help', {}, { role: 'member' });
    expect(text).not.toContain('/settings');
    expect(text).toContain('- `/glossary` `export` `list` `propose` ·');
  });

  it('shows a member nothing of what only moderators may do', async () => {
    const asking = { member: BOB };
    const { text } = await commands().run('help', { command: 'autotranslate' }, asking);
    expect(text).toBe(sentence('errors.needs-moderator', { platform: 'test' }));
    const some = await commands().run('help', { command: 'glossary' }, asking);
    expect(some.text).toContain('/glossary list');
    expect(some.text).not.toContain('/glossary import');
  });

  it('leaves out what the platform has no use for', async () => {
    const { text } = await last('help');
    expect(text).not.toContain('/autotranslate');
    expect((await last('autotranslate list')).text).toMatch(sentenceLike('errors.unknown-command'));
  });

  it('shows the options of one, or of a group', async () => {
    expect((await last('help', { command: '/translate' })).text).toContain(
      `\`to\` (${sentence('help.optional')})`,
    );
    expect((await last('help', { command: 'glossary' })).text).toContain('/glossary import');
    expect((await last('help', { command: 'nothing' })).tone).toBe('error');
  });
});
