/** A team and its members. */
export interface Team {
  key: 'ENG' | 'MOB' | 'DES' | 'SUP';
  name: string;
  /** Person keys. */
  members: readonly string[];
}

/** The company's teams, the same in every vendor. */
export const teams: readonly Team[] = [
  {
    key: 'ENG',
    name: 'Engineering',
    members: ['tomas.aguirre', 'priya.raman', 'jonas.weidemann', 'aiko.tanabe', 'samuel.okafor', 'marek.dvorak'].concat(
      ['leila.haddad', 'meiling.li', 'victor.sandoval', 'ines.carvalho'],
    ),
  },
  {
    key: 'MOB',
    name: 'Mobile',
    members: ['zoe.lindqvist', 'connor.byrne', 'grace.mbeki', 'meiling.li', 'elliot.park'],
  },
  {
    key: 'DES',
    name: 'Design',
    members: ['elliot.park', 'noemie.laurent', 'ines.carvalho', 'grace.mbeki'],
  },
  {
    key: 'SUP',
    name: 'Customer Support',
    members: ['dana.whitfield', 'rahul.mehta', 'chloe.nguyen', 'yusuf.demir', 'hannah.kessler', 'maren.holt'],
  },
];
