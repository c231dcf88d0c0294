/** A current or former employee of the fictional company. */
export interface Person {
  key: string;
  name: string;
  email: string;
  title: string;
  timezone: string;
  group: 'engineering' | 'product' | 'design' | 'operations' | 'customer';
  /** Has left: vendors show the person as deactivated. */
  left?: true;
  admin?: true;
}

/** The company's name and addresses. */
export const company = {
  name: 'Fernhill Software',
  slug: 'fernhill',
  domain: 'fernhill.example',
  product: 'Fernhill Ledger',
} as const;

function person(
  name: string,
  key: string,
  title: string,
  group: Person['group'],
  timezone: string,
  more: Pick<Person, 'left' | 'admin'> = {},
): Person {
  return { key, name, email: `${key}@${company.domain}`, title, group, timezone, ...more };
}

/** All employees, the same in every vendor. */
export const people: readonly Person[] = [
  person('Maren Holt', 'maren.holt', 'Chief Executive', 'operations', 'Europe/Copenhagen', { admin: true }),
  person('Tomás Aguirre', 'tomas.aguirre', 'Head of Engineering', 'engineering', 'Europe/Madrid', { admin: true }),
  person('Priya Raman', 'priya.raman', 'Staff Engineer', 'engineering', 'Asia/Kolkata'),
  person('Jonas Weidemann', 'jonas.weidemann', 'Backend Engineer', 'engineering', 'Europe/Berlin'),
  person('Aiko Tanabe', 'aiko.tanabe', 'Frontend Engineer', 'engineering', 'Asia/Tokyo'),
  person('Samuel Okafor', 'samuel.okafor', 'Backend Engineer', 'engineering', 'Africa/Lagos'),
  person('Zoë Lindqvist', 'zoe.lindqvist', 'Mobile Engineer', 'engineering', 'Europe/Stockholm'),
  person('Marek Dvořák', 'marek.dvorak', 'Site Reliability Engineer', 'engineering', 'Europe/Prague'),
  person('Leila Haddad', 'leila.haddad', 'Data Engineer', 'engineering', 'Europe/Paris'),
  person('Connor Byrne', 'connor.byrne', 'Mobile Engineer', 'engineering', 'Europe/Dublin'),
  person('Ines Carvalho', 'ines.carvalho', 'Product Manager', 'product', 'Europe/Lisbon'),
  person('Grace Mbeki', 'grace.mbeki', 'Product Manager', 'product', 'Africa/Johannesburg'),
  person('Elliot Park', 'elliot.park', 'Product Designer', 'design', 'America/Los_Angeles'),
  person('Noémie Laurent', 'noemie.laurent', 'Product Designer', 'design', 'Europe/Paris'),
  person('Dana Whitfield', 'dana.whitfield', 'Head of Customer Success', 'customer', 'America/New_York', {
    admin: true,
  }),
  person('Rahul Mehta', 'rahul.mehta', 'Account Executive', 'customer', 'America/Chicago'),
  person('Chloe Nguyen', 'chloe.nguyen', 'Support Engineer', 'customer', 'America/Toronto'),
  person('Yusuf Demir', 'yusuf.demir', 'Support Engineer', 'customer', 'Europe/Istanbul'),
  person('李 美玲', 'meiling.li', 'Quality Engineer', 'engineering', 'Asia/Shanghai'),
  person('Olga Petrova', 'olga.petrova', 'Office and Finance', 'operations', 'Europe/Berlin'),
  person('Victor Sandoval', 'victor.sandoval', 'Backend Engineer', 'engineering', 'America/Mexico_City', {
    left: true,
  }),
  person('Hannah Kessler', 'hannah.kessler', 'Support Engineer', 'customer', 'Europe/Vienna', { left: true }),
];

/** Customers mentioned in issues, comments, calls and documents. */
export const customers = [
  'Northwind Dairy',
  'Calder & Sons',
  'Bluefin Logistics',
  'Atelier Moreau',
  'Kestrel Health',
  'Sunda Retail',
  'Halvorsen Marine',
  'Prairie Credit Union',
] as const;

/** A contact at a customer. */
export interface Contact {
  customer: (typeof customers)[number];
  name: string;
  email: string;
}

/** The company's contacts at its customers. */
export const contacts: readonly Contact[] = [
  { customer: 'Northwind Dairy', name: 'Ingrid Solheim', email: 'ingrid.solheim@northwind-dairy.example' },
  { customer: 'Northwind Dairy', name: 'Pavel Novotný', email: 'pavel.novotny@northwind-dairy.example' },
  { customer: 'Calder & Sons', name: 'Fiona Calder', email: 'fiona@calder-sons.example' },
  { customer: 'Bluefin Logistics', name: 'Kenji Mori', email: 'k.mori@bluefin-logistics.example' },
  { customer: 'Bluefin Logistics', name: 'Teresa Duarte', email: 't.duarte@bluefin-logistics.example' },
  { customer: 'Atelier Moreau', name: 'Élodie Moreau', email: 'elodie@atelier-moreau.example' },
  { customer: 'Kestrel Health', name: 'Dr. Amara Nwosu', email: 'amara.nwosu@kestrel-health.example' },
  { customer: 'Sunda Retail', name: 'Budi Santoso', email: 'budi.santoso@sunda-retail.example' },
  { customer: 'Halvorsen Marine', name: 'Bjørn Halvorsen', email: 'bjorn@halvorsen-marine.example' },
  { customer: 'Prairie Credit Union', name: 'Melissa Crowfoot', email: 'mcrowfoot@prairie-cu.example' },
];
