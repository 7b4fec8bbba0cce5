/**
 * Autocomplete tokens (WCAG 2.2, 1.3.5) by question ID. `first_name`, `firstName` and `first-name` are the same.
 */
const purposes: Readonly<Record<string, string>> = {
  name: 'name',
  fullname: 'name',
  yourname: 'name',
  firstname: 'given-name',
  givenname: 'given-name',
  lastname: 'family-name',
  familyname: 'family-name',
  surname: 'family-name',
  nickname: 'nickname',
  phone: 'tel',
  tel: 'tel',
  telephone: 'tel',
  phonenumber: 'tel',
  mobile: 'tel',
  company: 'organization',
  organisation: 'organization',
  organization: 'organization',
  jobtitle: 'organization-title',
  street: 'street-address',
  address: 'street-address',
  streetaddress: 'street-address',
  city: 'address-level2',
  town: 'address-level2',
  postalcode: 'postal-code',
  postcode: 'postal-code',
  zip: 'postal-code',
  zipcode: 'postal-code',
  country: 'country-name',
  birthday: 'bday',
  website: 'url',
};

/** The autocomplete token for a question; undefined if there is none. */
export function inputPurpose(questionId: string): string | undefined {
  return purposes[questionId.toLowerCase().replaceAll(/[_-]/g, '')];
}
