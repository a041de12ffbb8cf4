import type { Migration } from 'kysely/migration';

export const glossaryAndSettings: Migration = {
  async up(db) {
    await db.schema
      .createTable('glossary_term')
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('space_id', 'text', (column) => column.notNull())
      .addColumn('term_key', 'text', (column) => column.notNull())
      .addColumn('language', 'text', (column) => column.notNull())
      .addColumn('term', 'text', (column) => column.notNull())
      .addColumn('translation', 'text')
      .addPrimaryKeyConstraint('glossary_term_key', [
        'platform',
        'space_id',
        'term_key',
        'language',
      ])
      .execute();
    await db.schema
      .createTable('member_setting')
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('member_id', 'text', (column) => column.notNull())
      .addColumn('language', 'text')
      .addColumn('voice_id', 'text')
      .addPrimaryKeyConstraint('member_setting_key', ['platform', 'member_id'])
      .execute();
  },
};
