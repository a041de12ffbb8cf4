/** The tables, as Kysely types them. Times are milliseconds since 1970. */
export interface Schema {
  glossary_term: GlossaryTermTable;
  member_setting: MemberSettingTable;
}

interface GlossaryTermTable {
  platform: string;
  space_id: string;
  /** The term folded for comparison; unique with `language` within a space. */
  term_key: string;
  /** Empty: in every language. */
  language: string;
  term: string;
  translation: string | null;
}

interface MemberSettingTable {
  platform: string;
  member_id: string;
  language: string | null;
  voice_id: string | null;
}
